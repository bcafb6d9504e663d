#include "cli/baseline_hints.hpp"

#include <algorithm>
#include <optional>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "model/problem.hpp"

namespace evo::cli {
namespace {

/// What to do where the data is evo's own: a line that says what the argument holds. Empty where it is not.
std::string fill_hint(const engine::TrialRecord& trial, const model::Problem& problem) {
  for (const model::Evidence& evidence : trial.evidence) {
    for (const auto& [key, set] : evidence.details) {
      const bool declared = std::ranges::any_of(problem.input_sets,
                                                [&](const model::InputSet& own) { return own.name == set; });
      if (key != "input_set" || declared) continue;
      std::string argument = set.substr(set.rfind(' ') + 1);
      const auto named = [&](const model::Argument& each) { return each.name == argument; };
      if (std::ranges::none_of(problem.arguments, named)) {
        // "denormal everywhere": all of them; one shows how.
        argument = "NAME";
        for (const model::Argument& each : problem.arguments) {
          const bool given =
              each.role == model::ArgumentRole::input || each.role == model::ArgumentRole::inout;
          if (given && model::is_floating(each.dtype) && !each.fill && argument == "NAME")
            argument = each.name;
        }
      }
      return fmt::format(
          "the input set '{}' is none of yours: where such data never comes, say what the array holds, as in "
          "{}: {{fill: {{uniform: [0, 1]}}}} (evo tune: --arg '{}: {{fill: {{uniform: [0, 1]}}}}')\n",
          set, argument, argument);
    }
  }
  return {};
}

/// What to do where two launches differ because sums hang on the order of their terms.
std::string order_hint(const engine::TrialRecord& trial, const model::Problem& problem) {
  if (trial.reason != "repeat_differs") return {};
  for (const model::Argument& argument : problem.arguments) {
    const bool output =
        argument.role == model::ArgumentRole::output || argument.role == model::ArgumentRole::inout;
    if (!output || !argument.reproducible) continue;
    return fmt::format(
        "launches with the same input differ: where sums are taken in any order, as with atomicAdd on "
        "floats, "
        "say so: {}: {{reproducible: false}}\n",
        argument.name);
  }
  return {};
}

std::string detail(const engine::TrialRecord& trial, std::string_view name) {
  for (const model::Evidence& evidence : trial.evidence) {
    for (const auto& [key, text] : evidence.details) {
      if (key == name) return text;
    }
  }
  return {};
}

/// Arrays of integers hold any whole numbers where nobody says which.
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
      "99]}}}}, or sorted, offsets, permutation (evo tune: --arg '{}: {{fill: ...}}')\n",
      fmt::join(names, ", "), names.size() == 1 ? "s" : "", names.size() == 1 ? "its" : "their",
      names.front(), names.front());
}

/// A kernel without a test for partial tiles, at a size that evo drew.
std::string sizes_hint(const engine::TrialRecord& trial, const model::Experiment& experiment) {
  if (trial.reason != "out_of_bounds" && trial.reason != "uninitialized") return {};
  const std::string axes = detail(trial, "axes");
  if (axes.empty()) return {};
  const std::string first = axes.substr(0, axes.find('='));
  std::int64_t size = 0;
  for (const model::Workload& workload : experiment.workloads) {
    const auto value = workload.axes.find(first);
    if (value != workload.axes.end()) size = value->second;
  }
  std::int64_t tile = 1;
  while (size > 0 && size % (tile * 2) == 0 && tile < 256) tile *= 2;
  if (tile < 2) return {};
  return fmt::format(
      "the size {} is none of yours: where sizes are always multiples of a tile, say so: {}: {{multiple_of: "
      "{}, "
      "min: {}}} (evo tune: --axis '{}={} multiple_of={} min={}')\n",
      axes, first, tile, tile, first, size, tile, tile);
}

}  // namespace

std::string baseline_hints(const engine::TrialRecord& trial, const model::Experiment& experiment) {
  return fill_hint(trial, experiment.problem) + order_hint(trial, experiment.problem) +
         integers_hint(trial, experiment.problem) + sizes_hint(trial, experiment);
}

}  // namespace evo::cli
