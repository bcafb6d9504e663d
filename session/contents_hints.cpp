#include "session/contents_hints.hpp"

#include <algorithm>
#include <set>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace evo::session {

std::string fill_hint(const engine::TrialRecord& trial, const model::Problem& problem) {
  for (const model::Evidence& evidence : trial.evidence) {
    for (const auto& [key, set] : evidence.details) {
      const bool declared = std::ranges::any_of(
          problem.input_sets, [&wanted = set](const model::InputSet& own) { return own.name == wanted; });
      if (key != "input_set" || declared) continue;
      std::string argument = set.substr(set.rfind(' ') + 1), also;
      const auto named = [&](const model::Argument& each) { return each.name == argument; };
      const auto whose = std::ranges::find_if(problem.arguments, named);
      // It keeps to what was said: saying it once more is no answer.
      if (whose != problem.arguments.end() && whose->fill) continue;
      if (whose == problem.arguments.end()) {
        // "denormal everywhere": all of them; one shows how.
        std::vector<std::string> names;
        for (const model::Argument& each : problem.arguments) {
          const bool given =
              each.role == model::ArgumentRole::input || each.role == model::ArgumentRole::inout;
          if (given && model::is_floating(each.dtype) && !each.fill) names.push_back(each.name);
        }
        argument = names.empty() ? "NAME" : names.front();
        if (names.size() > 1)
          also = fmt::format("; {} hold such data, too", fmt::join(names.begin() + 1, names.end(), ", "));
      }
      return fmt::format(
          "the input set '{}' is none of yours: where such data never comes, say what the array holds, as in "
          "{}: {{fill: {{uniform: [0, 1]}}}} (evo tune: --arg '{}: {{fill: {{uniform: [0, 1]}}}}'){}\n",
          set, argument, argument, also);
    }
  }
  return {};
}

std::string integers_hint(const engine::TrialRecord& trial, const model::Problem& problem) {
  static const std::set<std::string, std::less<>> reasons{"mismatch",    "non_finite",    "out_of_bounds",
                                                          "race_global", "uninitialized", "unwritten"};
  if (!reasons.contains(trial.reason)) return {};
  std::vector<std::string> names;
  for (const model::Argument& argument : problem.arguments) {
    const bool given =
        argument.role == model::ArgumentRole::input || argument.role == model::ArgumentRole::inout;
    const bool integers = !model::is_floating(argument.dtype) && argument.dtype != model::DType::boolean;
    if (given && integers && !argument.fill) names.push_back(argument.name);
  }
  if (names.empty()) return {};
  return fmt::format(
      "{} hold{} any whole numbers of {} type: where only some are meant, say which: {}: {{fill: {{integers: "
      "[0, "
      "99]}}}}, or sorted, offsets, permutation, distinct, ends, lengths (evo tune: --arg '{}: {{fill: "
      "...}}')\n",
      fmt::join(names, ", "), names.size() == 1 ? "s" : "", names.size() == 1 ? "its" : "their",
      names.front(), names.front());
}

std::string empty_rows_hint(const engine::TrialRecord& trial, const model::Problem& problem) {
  if (trial.reason != "non_finite" && trial.reason != "mismatch") return {};
  std::string hints;
  for (const model::Argument& argument : problem.arguments) {
    const bool offsets = argument.fill && argument.fill->form == model::FillForm::offsets;
    if (!offsets || argument.fill->numbers.size() != 1 || !model::is_given(argument.role)) continue;
    const model::Fill::Number& all = argument.fill->numbers[0];
    hints += fmt::format(
        "rows that {0} begins may be empty: where none is, say so: {0}: {{fill: {{offsets: [{1}, 1]}}}} (evo "
        "tune: --arg '{0}: {{fill: {{offsets: [{1}, 1]}}}}')\n",
        argument.name, all.number ? fmt::format("{:.0f}", *all.number) : all.expression.text());
  }
  return hints;
}

}  // namespace evo::session
