#include "intake/told_scalars.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "intake/draft_maker.hpp"
#include "intake/gene_names.hpp"
#include "intake/size_candidates.hpp"
#include "intake/types.hpp"
#include "model/expression.hpp"

namespace evo::intake {
namespace {

bool is_own_name(const Draft& draft, const std::string& name) {
  const auto is = [&](const auto& each) { return each.name == name; };
  return std::ranges::any_of(draft.axes, is) || std::ranges::any_of(draft.genes, is);
}

bool is_number(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
}

}  // namespace

std::string with_told_sizes(const Draft& draft, const std::string& flag, std::string text) {
  const std::vector<std::string> named = names_of(text);
  for (const DraftArgument& argument : draft.arguments) {
    const bool whole =
        argument.role == "scalar" && bytes_of(argument.dtype) > 0 && !ElementType{argument.dtype}.floating();
    if (!whole || !occurs(named, argument.name) || is_own_name(draft, argument.name)) continue;
    const bool fixed =
        std::ranges::any_of(argument.keys, [](const auto& key) { return key.first == "fixed"; });
    if (is_number(argument.value) && fixed) text = with_name(text, argument.name, argument.value);
    // Of a member of a struct that stands behind its path.
    const bool told = argument.why.find("as told") != std::string::npos;
    if (is_number(argument.value) && !fixed && told)
      refuse(model::ExitCode::usage,
             fmt::format("{0} '{1}': '{2}' is told as a number, of which evo shows others, too, so that no "
                         "launch can be written with it: --axis {2}={3} where it is a size, or {3} in {0}",
                         flag, text, argument.name, argument.value));
    if (!argument.value.empty() && of_axes(draft, argument.value))
      text =
          with_name(text, argument.name,
                    names_of(argument.value).size() == 1 && argument.value == names_of(argument.value).front()
                        ? argument.value
                        : fmt::format("({})", argument.value));
  }
  return text;
}

std::vector<std::string> settle_told_names(std::vector<ArgumentFlag>& flags,
                                           const std::vector<std::string>& launch,
                                           const std::vector<std::string>& sizes) {
  std::vector<std::string> notes;
  const auto has = [](const ArgumentFlag& flag, const char* name) {
    return std::ranges::any_of(flag.keys, [&](const auto& key) { return key.first == name; });
  };
  const auto fix = [&](ArgumentFlag& flag, const std::string& where) {
    if (!is_number(flag.value) || has(flag, "fixed")) return;
    if (has(flag, "range") || has(flag, "neutral"))
      refuse(model::ExitCode::usage,
             fmt::format(
                 "{0} is written with '{1}', of which evo shows other numbers than {2}, too: --axis {1}={2} "
                 "where it is a size, or {2} in its place",
                 where, flag.name, flag.value));
    flag.keys.emplace_back("fixed", "true");
    notes.push_back(
        fmt::format("{0} is written with {1} = {2}: kernels are shown no other {1} (fixed: true); --axis "
                    "{1}={2} where it is a size",
                    where, flag.name, flag.value));
  };
  // Each may name others, and these others again.
  for (std::size_t round = 0; round < flags.size(); ++round) {
    bool changed = false;
    for (ArgumentFlag& flag : flags) {
      std::vector<std::string*> texts{&flag.value};
      for (std::string& size : flag.shape) texts.push_back(&size);
      for (std::string* text : texts) {
        for (ArgumentFlag& other : flags) {
          const bool named = &other != &flag && !other.value.empty() && !occurs(sizes, other.name) &&
                             occurs(names_of(*text), other.name) && !occurs(names_of(other.value), flag.name);
          if (!named || !model::Expression::parse(other.value)) continue;
          fix(other, fmt::format("--arg '{}'", flag.name));
          const bool alone = names_of(other.value).size() <= 1 && other.value.find(' ') == std::string::npos;
          *text = with_name(*text, other.name, alone ? other.value : fmt::format("({})", other.value));
          changed = true;
        }
      }
    }
    if (!changed) break;
  }
  for (const std::string& text : launch) {
    for (ArgumentFlag& flag : flags) {
      if (occurs(names_of(text), flag.name) && !occurs(sizes, flag.name)) fix(flag, "the launch");
    }
  }
  return notes;
}

}  // namespace evo::intake
