#include "session/baseline_hints.hpp"

#include <algorithm>
#include <charconv>
#include <numeric>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "model/problem.hpp"
#include "session/contents_hints.hpp"
#include "session/sixteen_bits.hpp"
#include "session/unfilled_grid.hpp"

namespace evo::session {
namespace {

/// What to do where two launches differ because sums hang on the order of their terms.
std::string order_hint(const engine::TrialRecord& trial, const model::Problem& problem) {
  if (trial.reason != "repeat_differs") return {};
  for (const model::Argument& argument : problem.arguments) {
    const bool output =
        argument.role == model::ArgumentRole::output || argument.role == model::ArgumentRole::inout;
    if (!output || !argument.reproducible) continue;
    return fmt::format(
        "launches with the same input differ: where sums are taken in any order, as with atomicAdd on "
        "floats, say so: {0}: {{reproducible: false}} (evo tune: --arg '{0}: {{reproducible: false}}')\n",
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

using Size = std::pair<std::string, std::int64_t>;

/// "m=3,n=5".
std::vector<Size> sizes_in(const std::string& axes) {
  std::vector<Size> sizes;
  for (std::size_t at = 0; at < axes.size();) {
    const std::size_t end = std::min(axes.find(',', at), axes.size()), is = axes.find('=', at);
    if (is >= end) break;
    std::int64_t value = 0;
    (void)std::from_chars(axes.data() + is + 1, axes.data() + end, value);
    sizes.emplace_back(axes.substr(at, is - at), value);
    at = end + 1;
  }
  return sizes;
}

constexpr std::int64_t vector_bytes = 16;  // of float4, the longest access

/// The sizes of the user's workloads, each once.
std::vector<std::int64_t> told_sizes(const model::Experiment& experiment, const std::string& axis) {
  std::vector<std::int64_t> told;
  for (const model::Workload& workload : experiment.workloads) {
    const auto value = workload.axes.find(axis);
    if (value != workload.axes.end() && std::ranges::find(told, value->second) == told.end())
      told.push_back(value->second);
  }
  return told;
}

/// An array of the kernel's own, in registers or shared memory, that is too small for sizes beyond the
/// user's.
std::string own_memory_hint(const engine::TrialRecord& trial, const model::Experiment& experiment,
                            const std::string& axes) {
  const bool own = std::ranges::any_of(trial.evidence, [](const model::Evidence& evidence) {
    return evidence.message.find("at local byte offset") != std::string::npos ||
           evidence.message.find("at shared byte offset") != std::string::npos;
  });
  std::string flags;
  for (const auto& [axis, size] : sizes_in(axes)) {
    const std::vector<std::int64_t> told = told_sizes(experiment, axis);
    if (told.empty() || size <= std::ranges::max(told)) continue;
    flags += fmt::format("{}--axis '{}={} max={}'", flags.empty() ? "" : ", ", axis, fmt::join(told, ","),
                         std::ranges::max(told));
  }
  if (!own || flags.empty()) return {};
  return fmt::format(
      "the size {} is none of yours: where the kernel has room for so many only, say for how many, by one "
      "of: "
      "{} (evo tune; max: in problem.yaml)\n",
      axes, flags);
}

/// A kernel that reads several elements at a time, of rows that begin where the last one ended.
std::string row_hint(const engine::TrialRecord& trial, const model::Experiment& experiment) {
  if (trial.reason != "misaligned") return {};
  const std::string axes = detail(trial, "axes");
  for (const model::Argument& argument : experiment.problem.arguments) {
    const auto named = [&](const model::Evidence& evidence) {
      return evidence.message.find(fmt::format(" at {} byte offset", argument.name)) != std::string::npos;
    };
    if (argument.shape.size() < 2 || std::ranges::none_of(trial.evidence, named)) continue;
    const std::int64_t lanes = vector_bytes / std::max<std::int64_t>(1, model::size_of(argument.dtype));
    for (const auto& [axis, size] : sizes_in(axes)) {
      if (axis != argument.shape.back().text() || size % lanes == 0) continue;
      return fmt::format(
          "the rows of {} are {} elements at {}: where they are always whole vectors of {} bytes, say so: "
          "{}: "
          "{{multiple_of: {}, min: {}}} (evo tune: --axis '{}={} multiple_of={} min={}')\n",
          argument.name, size, axes, vector_bytes, axis, lanes, lanes, axis,
          fmt::join(told_sizes(experiment, axis), ","), lanes, lanes);
    }
  }
  return {};
}

/// The same of sizes that are far smaller than the user's: n - 3 of an unsigned 1 is large.
std::string least_hint(const model::Experiment& experiment, const std::vector<Size>& sizes) {
  constexpr std::int64_t few = 8;
  std::string flags;
  for (const auto& [axis, size] : sizes) {
    const std::vector<std::int64_t> own = told_sizes(experiment, axis);
    if (own.empty() || size >= few || std::ranges::min(own) < 2 * few) continue;
    flags += fmt::format("{}--axis '{}={} min={}'", flags.empty() ? "" : " ", axis, fmt::join(own, ","), few);
  }
  if (flags.empty()) return {};
  return fmt::format("; where they are only never so small: {} (min: in problem.yaml)", flags);
}

/// A kernel without a test for partial tiles, at a size that evo drew.
std::string sizes_hint(const engine::TrialRecord& trial, const model::Experiment& experiment) {
  if (trial.reason != "out_of_bounds" && trial.reason != "uninitialized") return {};
  const std::string axes = detail(trial, "axes");
  if (axes.empty()) return {};
  const std::vector<Size> sizes = sizes_in(axes);
  if (std::string hint = own_memory_hint(trial, experiment, axes); !hint.empty()) return hint;
  for (const auto& [axis, size] : sizes) {
    const std::vector<std::int64_t> own = told_sizes(experiment, axis);
    std::int64_t common = 0;  // what all of the user's sizes are multiples of
    for (const std::int64_t value : own) common = std::gcd(common, value);
    std::int64_t tile = 1;
    while (common > 0 && common % (tile * 2) == 0 && tile < 256) tile *= 2;
    if (tile < 2 || (size >= tile && size % tile == 0)) continue;
    return fmt::format(
        "the size {} is none of yours: where sizes are always multiples of a tile, say so: {}: "
        "{{multiple_of: "
        "{}, min: {}}} (evo tune: --axis '{}={} multiple_of={} min={}'){}\n",
        axes, axis, tile, tile, axis, fmt::join(own, ","), tile, tile, least_hint(experiment, sizes));
  }
  return {};
}

/// Threads that write the same number to one place, with nothing between them.
std::string equal_writes_hint(const engine::TrialRecord& trial) {
  if (trial.reason != "race_shared" && trial.reason != "race_global") return {};
  const auto equal = [&](const model::Evidence& evidence) {
    return std::ranges::any_of(evidence.details,
                               [](const auto& each) { return each.first == "equal_writes"; });
  };
  if (trial.evidence.empty() || !std::ranges::all_of(trial.evidence, equal)) return {};
  return "the threads write the same number: where that is meant, say why: equal_writes: WHY in problem.yaml "
         "(evo tune: --equal-writes 'threads beyond the border write the last number again'); CUDA calls it "
         "a "
         "race all the same\n";
}

/// Scratch memory that the kernel reads before it has written there, as a counter or a flag.
std::string zeros_hint(const engine::TrialRecord& trial, const model::Problem& problem) {
  if (trial.reason != "uninitialized") return {};
  for (const model::Argument& argument : problem.arguments) {
    if (argument.role != model::ArgumentRole::workspace || argument.zeroed) continue;
    const auto reads = [&](const model::Evidence& evidence) {
      return evidence.message.find(fmt::format(" at {} byte offset", argument.name)) != std::string::npos;
    };
    if (std::ranges::none_of(trial.evidence, reads)) continue;
    return fmt::format(
        "{} holds nothing when a launch begins: where your program fills it with zeros, say so: {}: "
        "{{zeroed: true}} (evo tune: --arg '{}: {{zeroed: true}}')\n",
        argument.name, argument.name, argument.name);
  }
  return {};
}

/// Rows that are written where indices lead, to no fewer places than there are rows: none twice may be meant.
std::string once_hint(const engine::TrialRecord& trial, const model::Experiment& experiment) {
  if (trial.reason != "race_global" || experiment.workloads.empty()) return {};
  model::Environment sizes;
  for (const auto& [axis, size] : experiment.workloads.front().axes) sizes.emplace(axis, size);
  for (const model::Argument& argument : experiment.problem.arguments) {
    const bool range = argument.fill && argument.fill->form == model::FillForm::integers &&
                       argument.fill->numbers.size() == 2 && !argument.fill->numbers[1].number;
    if (!range || !model::is_given(argument.role)) continue;
    const auto last = argument.fill->numbers[1].expression.evaluate_integer(sizes);
    std::int64_t elements = 1;
    std::string count;
    for (const model::Expression& side : argument.shape) {
      elements *= side.evaluate_integer(sizes).value_or(0);
      const bool plain = side.text().find(' ') == std::string::npos;
      count += fmt::format(fmt::runtime(plain ? "{}{}" : "{}({})"), count.empty() ? "" : " * ", side.text());
    }
    if (!last || elements < 2 || *last < elements - 1) continue;
    const std::string& greatest = argument.fill->numbers[1].expression.text();
    const std::string fill = *last == elements - 1 ? fmt::format("{{permutation: {}}}", count)
                                                   : fmt::format("{{distinct: [0, {}]}}", greatest);
    return fmt::format(
        "{0} holds any numbers from 0 to {1}, some of them twice: where two may be the same, the writes need "
        "atomics; where none comes twice, say {0}: {{fill: {2}}} (evo tune: --arg '{0}: {{fill: {2}}}')\n",
        argument.name, greatest, fill);
  }
  return {};
}

/// A kernel with more variables than registers: what it spills, "72 bytes of spill stores and 72 of ...", may
/// be allowed.
std::string spill_hint(const engine::TrialRecord& trial) {
  if (trial.reason != "spills" || trial.evidence.empty()) return {};
  const std::string& words = trial.evidence.front().message;
  constexpr std::string_view between = " stores and ";
  const std::size_t loads = words.find(between);
  std::int64_t stored = 0, loaded = 0;
  const char* end = words.data() + words.size();
  if (loads == std::string::npos || std::from_chars(words.data(), end, stored).ec != std::errc{} ||
      std::from_chars(words.data() + loads + between.size(), end, loaded).ec != std::errc{})
    return {};
  return fmt::format(
      "where that is as it should be, allow it: gates: {{max_spill_bytes: {0}}} (evo tune: --set "
      "gates.max_spill_bytes={0})\n",
      stored + loaded);
}

/// A kernel for one value of a scalar, shown another.
std::string scalar_hint(const engine::TrialRecord& trial) {
  const std::string words = detail(trial, "scalar");
  const std::size_t is = words.find(" is "), instead = words.find(" instead of ");
  if (is == std::string::npos || instead == std::string::npos) return {};
  const std::size_t from = instead + std::string_view(" instead of ").size();
  return fmt::format("evo tune says that by --arg '{}: {{value: {}, fixed: true}}'\n", words.substr(0, is),
                     words.substr(from, words.find(',', from) - from));
}

/// A line that nothing runs: the evidence says what problem.yaml has for it.
std::string unreached_hint(const engine::TrialRecord& trial) {
  if (trial.reason != "incomplete_coverage") return {};
  for (const model::Evidence& evidence : trial.evidence) {
    if (evidence.kind != "incomplete_coverage" || evidence.line <= 0) continue;
    return fmt::format("evo tune says that nothing runs a line by --unreached '{}:{}: WHY'\n", evidence.file,
                       evidence.line);
  }
  return {};
}

}  // namespace

std::optional<FarInteger> far_integer(const engine::TrialRecord& trial) {
  std::string words = detail(trial, "far_integer");
  // One that a range has is far from nothing; who has made the range takes it back.
  if (words.empty()) words = detail(trial, "ranged_integer");
  const std::size_t is = words.rfind('=');
  if (is == std::string::npos) return std::nullopt;
  FarInteger found{words.substr(0, is), 0};
  const char* end = words.data() + words.size();
  if (std::from_chars(words.data() + is + 1, end, found.shown).ptr != end) return std::nullopt;
  return found;
}

std::string baseline_hints(const engine::TrialRecord& trial, const model::Experiment& experiment) {
  return fill_hint(trial, experiment.problem) + order_hint(trial, experiment.problem) +
         integers_hint(trial, experiment.problem) + empty_rows_hint(trial, experiment.problem) +
         zeros_hint(trial, experiment.problem) + sizes_hint(trial, experiment) + row_hint(trial, experiment) +
         scalar_hint(trial) + equal_writes_hint(trial) + once_hint(trial, experiment) + spill_hint(trial) +
         unreached_hint(trial) + sixteen_bits_hint(trial, experiment.problem) +
         unfilled_grid_hint(trial, experiment, detail(trial, "axes"));
}

}  // namespace evo::session
