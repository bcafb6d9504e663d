#include "evaluators/gates/long_shapes.hpp"

#include <algorithm>
#include <variant>

#include "evaluators/gates/check_plan.hpp"
#include "evaluators/oracle/layout.hpp"

namespace evo::evaluators::gates {
namespace {

constexpr std::int64_t beyond_16_bits = 70'001;
constexpr std::int64_t tiles_in_a_stretch = 10;
constexpr std::int64_t widest_tile = 128;  // a wider gene counts something else
/// What a stretched case may cost where all of it runs, and what an axis beyond 16 bits may.
constexpr double most_flops = 536870912, cheap_flops = 4194304;  // 2^29, 2^22
/// The size below which axes that are all large are so no more.
constexpr std::int64_t least_of_all = 64;
constexpr double threads_of_many_blocks = 262144;  // 2^18
constexpr std::int64_t cheap_threads = std::int64_t{1} << 24;
constexpr std::int64_t cheap_bytes = std::int64_t{4} << 20;

/// What axes at their maxima may cost: bytes of arrays, blocks that wait, instructions of the reference.
constexpr std::int64_t bytes_at_maxima = std::int64_t{16} << 20, most_blocks_at_maxima = 300;
constexpr std::uint64_t budget_at_maxima = std::uint64_t{1} << 28;

/// Each whole number up to here is a float, and what a case with more elements may cost.
constexpr std::int64_t whole_floats = std::int64_t{1} << 24;
constexpr double beyond_floats_flops = 67108864, beyond_floats_threads = 33554432;  // 2^26, 2^25
constexpr std::int64_t beyond_floats_bytes = std::int64_t{384} << 20, root_of_floats = 4096;
/// Instructions of a reference with a thread for each of so many elements: some dozens each.
constexpr std::uint64_t budget_of_floats = std::uint64_t{1} << 31;

/// Tiles are integer genes; the widest value that any genome of the space may have counts, so that all trials
/// of a run share their references.
std::int64_t widest_gene(const model::Space& space) {
  std::int64_t widest = 1;
  for (const model::Gene& gene : space.genes()) {
    for (const model::Value& value : gene.values) {
      if (const auto* number = std::get_if<std::int64_t>(&value); number != nullptr && *number <= widest_tile)
        widest = std::max(widest, *number);
    }
  }
  return widest;
}

std::int64_t blocks_of(const model::LaunchPlan& plan) {
  return std::int64_t{plan.grid[0]} * plan.grid[1] * plan.grid[2];
}

}  // namespace

void LongShapes::stretch() {
  if (largest_ == nullptr) return;
  const std::int64_t tiles = tiles_in_a_stretch * widest_gene(context_.space) + 1;
  for (const model::Axis& axis : problem_.axes) {
    if (!is_free(axis)) continue;
    model::Workload workload = first_;
    set_others(workload, [](std::size_t) { return std::int64_t{1}; });
    workload.axes[largest_->name] = legal_value(*largest_, 3);
    const std::int64_t least = &axis == largest_ ? std::max(beyond_8_bits, tiles) : beyond_8_bits;
    const std::int64_t stretched = below_maximum(axis, least + below(64));
    workload.axes[axis.name] = stretched;
    model::Workload longer = workload;
    longer.axes[axis.name] = below_maximum(axis, beyond_16_bits + below(4096));
    if (!blocks_wait_ && cheap(longer)) add(CaseUse::stretched, std::move(longer));
    // And between, where neither tiles nor their tens end.
    const std::int64_t power = std::int64_t{1024} << below(5);
    workload.axes[axis.name] = below_maximum(axis, power + below(power));
    if (&axis == largest_ && !blocks_wait_ && cheap(workload)) add(CaseUse::stretched, workload);
    workload.axes[axis.name] = stretched;
    // Shorter where it costs too much: a quarter less each time.
    for (std::int64_t value = workload.axes[axis.name]; value > 4; value -= value / 4) {
      workload.axes[axis.name] = legal_value(axis, value);
      const auto bound = bind(workload);
      if (bound && bound->flops <= most_flops && few_enough(bound->launch) && fits(workload)) break;
    }
    add(CaseUse::stretched, std::move(workload));
  }
}

void LongShapes::stretch_all() {
  const auto axes = std::count_if(problem_.axes.begin(), problem_.axes.end(), is_free);
  if (axes < 2) return;
  for (std::int64_t least = beyond_8_bits; least > least_of_all; least -= least / 4) {
    model::Workload workload = first_;
    for (const model::Axis& axis : problem_.axes) {
      if (is_free(axis)) workload.axes[axis.name] = legal_value(axis, least + below(32));
    }
    const auto bound = bind(workload);
    if (!bound || bound->flops > all_axes_flops || !few_enough(bound->launch) || !fits(workload)) continue;
    add(CaseUse::stretched, std::move(workload));
    return;
  }
}

void LongShapes::many_blocks() {
  if (largest_ == nullptr) return;
  for (std::int64_t about = 1024; about <= cheap_bytes; about *= 4) {
    const auto bound = bind(one_long(*largest_, legal_alone(*largest_, about)));
    if (!bound) return;
    const std::int64_t blocks = blocks_of(bound->launch);
    if (blocks < 4) continue;
    const std::int64_t size = (beyond_8_bits + below(16)) * about / blocks + 1;
    const std::int64_t legal = legal_alone(*largest_, size);
    const model::Workload workload = one_long(*largest_, legal);
    const auto large = bind(workload);
    if (large && blocks_of(large->launch) >= beyond_8_bits && large->flops <= named_flops &&
        model::threads_in(large->launch) <= threads_of_many_blocks)
      add(legal_value(*largest_, legal) == legal ? CaseUse::named : CaseUse::alone, workload);
    return;
  }
}

void LongShapes::at_maxima() {
  const auto show = [&](const model::Workload& workload) {
    const auto bound = bind(workload);
    if (!bound || bound->flops > cheap_flops || oracle::case_bytes(*bound) > bytes_at_maxima) return;
    const auto threads = static_cast<std::int64_t>(model::threads_in(bound->launch));
    if (blocks_wait_ ? blocks_of(bound->launch) > most_blocks_at_maxima : threads > cheap_threads) return;
    if (add(CaseUse::named, workload)) shapes_.back().reference_budget = budget_at_maxima;
  };
  model::Workload largest = first_;
  int axes = 0;
  for (const model::Axis& axis : problem_.axes) {
    if (!is_free(axis) || !axis.maximum) continue;
    const std::int64_t most = legal_value(axis, *axis.maximum);
    largest.axes[axis.name] = most;
    ++axes;
    if (!has_few_values(axis)) show(one_long(axis, most));
  }
  if (axes > 1) show(largest);
}

void LongShapes::beyond_floats(const std::vector<std::string>& reduced) {
  if (blocks_wait_) return;
  for (const model::Axis& axis : problem_.axes) {
    if (!is_free(axis) || std::ranges::find(reduced, axis.name) != reduced.end()) continue;
    // The last index has to be one that a float does not hold; multiples are rounded down.
    const std::int64_t least = whole_floats + 2 + axis.multiple_of.value_or(1);
    const std::int64_t size = legal_value(axis, least + below(4096));
    const model::Workload workload = one_long(axis, size);
    const auto bound = bind(workload);
    if (size > whole_floats + 1 && bound && bound->flops <= beyond_floats_flops &&
        model::threads_in(bound->launch) <= beyond_floats_threads &&
        add(CaseUse::named, workload, beyond_floats_bytes))
      return;
  }
  beyond_floats_of_two(reduced);
}

std::int64_t LongShapes::below(std::int64_t end) {
  return static_cast<std::int64_t>(stream_.below(static_cast<std::uint64_t>(std::max<std::int64_t>(end, 1))));
}

std::int64_t LongShapes::below_maximum(const model::Axis& axis, std::int64_t value) {
  if (!axis.maximum || value <= *axis.maximum || *axis.maximum < 4 * few_values)
    return legal_value(axis, value);
  return legal_value(axis, *axis.maximum - 1 - below(*axis.maximum / 4));
}

bool LongShapes::cheap(const model::Workload& workload) const {
  const auto bound = bind(workload);
  if (!bound) return false;
  std::int64_t threads = 1;
  for (std::size_t i = 0; i < 3; ++i)
    threads *= std::int64_t{bound->launch.grid[i]} * std::int64_t{bound->launch.block[i]};
  return threads <= cheap_threads && bound->flops <= cheap_flops &&
         oracle::case_bytes(*bound) <= cheap_bytes && fits(workload);
}

void LongShapes::beyond_floats_of_two(const std::vector<std::string>& reduced) {
  // Only where outputs are integers: so many cosines in double would take half a minute.
  const bool whole = std::ranges::none_of(problem_.arguments, [](const model::Argument& argument) {
    return model::is_judged(argument.role) && model::is_floating(argument.dtype);
  });
  if (!whole) return;
  for (const model::Axis& a : problem_.axes) {
    for (const model::Axis& b : problem_.axes) {
      if (&b == &a) break;
      const auto sums = [&](const model::Axis& axis) {
        return std::ranges::find(reduced, axis.name) != reduced.end();
      };
      if (!is_free(a) || !is_free(b) || sums(a) || sums(b)) continue;
      // Odd, and some rows more: where a row begins at an even number, a float may well hold that.
      model::Workload workload = one_long(a, legal_value(a, root_of_floats + 1 + 2 * below(8)));
      workload.axes[b.name] = legal_value(b, root_of_floats + 33 + 2 * below(8));
      const auto bound = bind(workload);
      const auto long_array = [](const model::BoundArgument& argument) {
        return argument.role != model::ArgumentRole::scalar &&
               oracle::element_count(argument) > whole_floats + 1;
      };
      const bool of_elements =
          bound && bound->reference_launch &&
          model::threads_in(*bound->reference_launch) >= static_cast<double>(whole_floats);
      // A thread for each element: one for a row, or for all, might take minutes.
      if (bound && (of_elements || !bound->reference_launch) && bound->flops <= beyond_floats_flops &&
          model::threads_in(bound->launch) <= beyond_floats_threads &&
          (!of_elements || model::threads_in(*bound->reference_launch) <= beyond_floats_threads) &&
          std::ranges::any_of(bound->arguments, long_array) &&
          add(CaseUse::named, workload, beyond_floats_bytes)) {
        shapes_.back().reference_budget = budget_of_floats;
        return;
      }
    }
  }
}

}  // namespace evo::evaluators::gates
