// DraftSettler: what arrays and scalars hold, where the self-test refuses what they held.
#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "intake/draft_settler.hpp"
#include "intake/said_keys.hpp"
#include "intake/shares.hpp"
#include "intake/types.hpp"

namespace evo::intake {
namespace {

constexpr const char* positive = "{uniform: [0.1, 2]}";

/// The key that give_shares() adds.
bool is_our_range(const std::pair<std::string, std::string>& key) {
  return key.first == "range" && key.second == share_range;
}

}  // namespace

/// A root, a logarithm or a division: of numbers on both sides of 0 there is no answer. One input after
/// another, since what only one needs is not to be asked less of the others; then all of them. Then the same
/// with scalars that are shares: the weights of averages (1 - b2) give no roots beyond 1.
bool DraftSettler::give_positive_numbers(Draft& draft) {
  if (rounds_ == 0) {
    for (const DraftArgument& argument : draft.arguments) {
      const bool array = argument.role == "input" || argument.role == "inout";
      const bool floating = ElementType{argument.dtype}.floating();
      if (array && floating && !is_said(argument, "fill")) fed_.push_back(argument.name);
      const bool drawn = argument.role == "scalar" && floating && argument.why == "drawn" &&
                         !is_said(argument, "range") && !told(argument.name);
      if (drawn) shared_.push_back(argument.name);
    }
  }
  const auto ours = [](const auto& key) { return key.first == "fill" && key.second == positive; };
  const auto is_one_of = [](const std::vector<std::string>& names, const DraftArgument& argument) {
    return std::ranges::find(names, argument.name) != names.end();
  };
  for (DraftArgument& argument : draft.arguments) {
    if (is_one_of(fed_, argument)) std::erase_if(argument.keys, ours);
    if (!is_one_of(shared_, argument) || std::erase_if(argument.keys, is_our_range) == 0) continue;
    // No share from now on: what was drawn is its first value again.
    first_[argument.name] = drawn_[argument.name];
    restore(argument, draft);
  }
  forget("positive", draft);
  forget("shares", draft);
  // Each input, all of them where there are several; with shares none of them, too.
  const std::size_t fills = fed_.size() + (fed_.size() > 1 ? 1 : 0);
  std::size_t round = rounds_++;
  const bool share = round >= fills;
  if (share && (shared_.empty() || round > 2 * fills)) return false;
  if (share) {
    give_shares(draft);
    if (round == fills) return true;
    round -= fills + 1;
  }
  std::vector<std::string> given;
  for (DraftArgument& argument : draft.arguments) {
    if (!is_one_of(fed_, argument) || (round < fed_.size() && argument.name != fed_[round])) continue;
    argument.keys.emplace_back("fill", positive);
    given.push_back(argument.name);
  }
  note(
      "positive",
      fmt::format(
          "the reference gives NaN or infinity for numbers around 0: {} hold{} numbers of 0.1 to 2, and what "
          "is proven holds for such (--arg '{}: {{fill: {{uniform: [LOW, HIGH]}}}}' says what they are like)",
          fmt::join(given, ", "), given.size() == 1 ? "s" : "", given.front()),
      draft);
  return true;
}

void DraftSettler::give_shares(Draft& draft) {
  for (std::size_t i = 0; i < shared_.size(); ++i) {
    for (DraftArgument& argument : draft.arguments) {
      if (argument.name != shared_[i]) continue;
      const auto first = first_.find(argument.name);
      drawn_.emplace(argument.name, first == first_.end() ? argument.value : first->second);
      argument.value = share_at(i);
      // What another value is taken back to: with the one that was drawn the reference has no answer.
      first_[argument.name] = argument.value;
      forget(argument.name, draft);
      argument.keys.emplace_back("range", share_range);
    }
  }
  note("shares",
       fmt::format(
           "the reference gives NaN or infinity for scalars beyond 1: {0} {1} between 0.05 and 0.95, and "
           "what is proven holds for such (--arg '{2}: {{value: VALUE, range: [LOW, HIGH]}}' says what "
           "it may be)",
           fmt::join(shared_, ", "), shared_.size() == 1 ? "is" : "are", shared_.front()),
       draft);
}

bool DraftSettler::give_another_value(DraftArgument& argument, Draft& draft) {
  // Of what is compared with the data, a number on its scale matters.
  if (ElementType{argument.dtype}.floating()) {
    static constexpr std::array<const char*, 2> others{"0.25", "4.0"};
    // A share stays within its range.
    const bool share = std::ranges::find(shared_, argument.name) != shared_.end() &&
                       std::ranges::any_of(argument.keys, is_our_range);
    for (const char* other : share ? other_share_values : others) {
      if (!tried_.insert(argument.name + (share ? " share " : " ") + other).second) continue;
      first_.emplace(argument.name, argument.value);
      argument.value = other;
      changed_ = argument.name;
      note(argument.name,
           fmt::format("{0} is {1}: with {2} another value gives the same answer (--arg '{0}: VALUE' "
                       "gives it yours)",
                       argument.name, other, first_[argument.name]),
           draft);
      return true;
    }
  }
  restore(argument, draft);
  if (!tried_.insert(argument.name + " neutral").second) return false;
  argument.keys.emplace_back("neutral", "true");
  note(argument.name,
       fmt::format(
           "another value of {0} gives the same answer on these inputs: it is taken for one that does not "
           "matter (--arg '{0}: VALUE' gives it one that does)",
           argument.name),
       draft);
  return true;
}

bool DraftSettler::give_another_threshold(Draft& draft) {
  static constexpr std::array<const char*, 2> others{"0.25", "-0.5"};
  for (DraftArgument& argument : draft.arguments) {
    const bool drawn = argument.role == "scalar" && ElementType{argument.dtype}.floating() &&
                       argument.why == "drawn" && !told(argument.name) && !is_said(argument, "range");
    if (!drawn) continue;
    for (const char* other : others) {
      if (!tried_.insert(argument.name + " beyond " + other).second) continue;
      first_.emplace(argument.name, argument.value);
      argument.value = other;
      changed_ = argument.name;
      note(argument.name,
           fmt::format(
               "{0} is {1}: with {2} some data changes nothing, as where it is compared with {0} (--arg "
               "'{0}: VALUE' gives it yours)",
               argument.name, other, first_[argument.name]),
           draft);
      return true;
    }
    restore(argument, draft);
  }
  return false;
}

bool DraftSettler::give_large_numbers(DraftArgument& argument, Draft& draft) {
  static constexpr std::array<const char*, 2> ranges{"{uniform: [-1000, 1000]}",
                                                     "{uniform: [-1000000, 1000000]}"};
  const auto ours = [&](const auto& key) {
    return key.first == "fill" && std::ranges::find(ranges, key.second) != ranges.end();
  };
  std::erase_if(argument.keys, ours);
  forget(argument.name + " large", draft);
  for (const char* range : ranges) {
    if (!tried_.insert(argument.name + range).second) continue;
    argument.keys.emplace_back("fill", range);
    note(
        argument.name + " large",
        fmt::format("what {0} held before is lost beside what is added to it: it holds {1} (--arg '{0}: "
                    "{{fill: {{uniform: [LOW, HIGH]}}}}' says what it is like; '{0}: {{role: output, before: "
                    "zero}}' where it is always cleared)",
                    argument.name, range),
        draft);
    return true;
  }
  return false;
}

bool DraftSettler::give_more_integers(DraftArgument& argument, Draft& draft) {
  const std::string range = more_integers(argument);
  std::erase_if(argument.keys, [&](const auto& key) { return key.first == "fill" && key.second == range; });
  forget(argument.name + " large", draft);
  if (!tried_.insert(argument.name + range).second) return false;
  argument.keys.emplace_back("fill", range);
  note(argument.name + " large",
       fmt::format("what {0} held before is lost beside what the reference makes of it: it holds {1} (--arg "
                   "'{0}: {{fill: {{integers: [LOW, HIGH]}}}}' says what it is like; '{0}: {{role: output, "
                   "before: zero}}' where it is always cleared)",
                   argument.name, range),
       draft);
  return true;
}

}  // namespace evo::intake
