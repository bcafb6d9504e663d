#include "cli/tune_settle.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "intake/types.hpp"

namespace evo::cli {
namespace {

bool has_key(const intake::DraftArgument& argument, std::string_view name) {
  return std::ranges::any_of(argument.keys, [&](const auto& key) { return key.first == name; });
}

constexpr const char* positive = "{uniform: [0.1, 2]}";

}  // namespace

DraftSettler::DraftSettler(const intake::Request& request) {
  // 'alpha: 1.5', 'd.rows: n'
  for (const std::string& flag : request.arguments) told_.insert(flag.substr(0, flag.find(':')));
}

bool DraftSettler::told(const std::string& argument) const {
  return told_.contains(argument);
}

/// A root, a logarithm or a division: of numbers on both sides of 0 there is no answer.
bool DraftSettler::give_positive_numbers(intake::Draft& draft) {
  const auto ours = [](const auto& key) { return key.first == "fill" && key.second == positive; };
  if (positive_) {
    for (intake::DraftArgument& argument : draft.arguments) std::erase_if(argument.keys, ours);
    draft.notes.pop_back();
    return false;
  }
  positive_ = true;
  std::vector<std::string> given;
  for (intake::DraftArgument& argument : draft.arguments) {
    const bool array = argument.role == "input" || argument.role == "inout";
    if (!array || !intake::ElementType{argument.dtype}.floating() || has_key(argument, "fill")) continue;
    argument.keys.emplace_back("fill", positive);
    given.push_back(argument.name);
  }
  if (given.empty()) return false;
  draft.notes.push_back(fmt::format(
      "the reference gives NaN or infinity for numbers around 0: {} hold numbers of 0.1 to 2, and what is "
      "proven holds for such (--arg '{}: {{fill: {{uniform: [LOW, HIGH]}}}}' says what they are like)",
      fmt::join(given, ", "), given.front()));
  return true;
}

bool DraftSettler::give_another_value(intake::DraftArgument& argument, intake::Draft& draft) {
  // Of what is compared with the data, a number on its scale matters.
  if (intake::ElementType{argument.dtype}.floating()) {
    static constexpr std::array<const char*, 2> others{"0.25", "4.0"};
    for (const char* other : others) {
      if (!tried_.insert(argument.name + " " + other).second) continue;
      argument.value = other;
      return true;
    }
  }
  if (!tried_.insert(argument.name + " neutral").second) return false;
  argument.keys.emplace_back("neutral", "true");
  draft.notes.push_back(fmt::format(
      "another value of {0} gives the same answer on these inputs: it is taken for one that does not "
      "matter (--arg '{0}: VALUE' gives it one that does)",
      argument.name));
  return true;
}

bool DraftSettler::mend(intake::Draft& draft, const evaluators::selftest::Check& failed) {
  if (failed.reference_not_finite) return give_positive_numbers(draft);
  for (intake::DraftArgument& argument : draft.arguments) {
    if (argument.name != failed.argument || argument.role != "scalar") continue;
    const bool member = !argument.place.path.empty() && told(argument.place.path);
    if (told(argument.name) || member || has_key(argument, "neutral")) return false;
    return give_another_value(argument, draft);
  }
  return false;
}

}  // namespace evo::cli
