#include "evaluators/gates/shape_collector.hpp"

#include <numeric>

#include <fmt/format.h>

#include "evaluators/oracle/layout.hpp"
#include "model/random.hpp"

namespace evo::evaluators::gates {
namespace {

constexpr std::uint64_t most_waiting_blocks = 64;
/// Of the shapes that the code's constants name.
constexpr std::size_t most_named = 32, most_beside_odd = 8;
/// What tiles of 48, 96, 192, 320, 640, 768, 1280 and so on divide.
constexpr std::int64_t round_sizes = 3840;

}  // namespace

bool is_free(const model::Axis& axis) {
  return !axis.compile_time && axis.allowed.empty();
}

bool has_few_values(const model::Axis& axis) {
  return is_free(axis) && axis.minimum && axis.maximum && *axis.maximum - *axis.minimum < few_values;
}

ShapeCollector::ShapeCollector(const TemplateContext& context, const model::Genome& genome)
    : context_(context), problem_(context.experiment->problem), genome_(genome) {
  first_ = complete_workload(*context.experiment, context.experiment->workloads.empty()
                                                      ? model::Workload{}
                                                      : context.experiment->workloads.front());
  for (const model::Axis& axis : problem_.axes) {
    if (!first_.axes.contains(axis.name) && axis.initial) first_.axes[axis.name] = *axis.initial;
  }
  largest_ = largest_free_axis(problem_, first_);
}

model::Expected<model::Case> ShapeCollector::bind(const model::Workload& workload) const {
  return model::bind_case(problem_, *context_.kernel_template, context_.space, genome_, workload);
}

bool ShapeCollector::fits(const model::Workload& asked, std::int64_t most_bytes) const {
  const auto workload = within_domain(context_, genome_, asked);
  if (!workload) return false;
  const auto bound = bind(*workload);
  if (!bound || oracle::has_64bit_strides(*bound) || oracle::case_bytes(*bound) > most_bytes) return false;
  return std::none_of(bound->arguments.begin(), bound->arguments.end(), [](const model::BoundArgument& a) {
    return model::is_judged(a.role) && oracle::overlaps_itself(a);
  });
}

bool ShapeCollector::add(CaseUse use, model::Workload asked, std::int64_t most_bytes) {
  if (!fits(asked, most_bytes)) return false;
  model::Workload workload = *within_domain(context_, genome_, std::move(asked));
  for (const DrawnShape& known : shapes_) {
    if (known.use == use && known.workload.axes == workload.axes) return false;
  }
  workload.name = fmt::format("drawn {}", shapes_.size() + 1);
  workload.weight = 1;
  shapes_.push_back({use, std::move(workload)});
  return true;
}

model::Workload ShapeCollector::one_long(const model::Axis& axis, std::int64_t size) const {
  model::Workload workload = first_;
  set_others(workload, [](std::size_t) { return std::int64_t{1}; });
  if (largest_ != nullptr) workload.axes[largest_->name] = legal_value(*largest_, 3);
  workload.axes[axis.name] = size;
  return workload;
}

std::int64_t ShapeCollector::legal_alone(const model::Axis& axis, std::int64_t value) {
  if (!axis.alone || !axis.maximum || *axis.alone <= *axis.maximum) return legal_value(axis, value);
  model::Axis longer = axis;
  longer.maximum = axis.alone;
  return legal_value(longer, value);
}

bool ShapeCollector::few_enough(const model::LaunchPlan& plan) const {
  return !blocks_wait_ || std::uint64_t{plan.grid[0]} * plan.grid[1] * plan.grid[2] <= most_waiting_blocks;
}

void ShapeCollector::name_constants(const std::vector<std::int64_t>& constants) {
  const auto name = [&](model::Workload workload) {
    const auto bound = bind(workload);
    if (bound && bound->flops <= named_flops && model::threads_in(bound->launch) <= named_threads &&
        few_enough(bound->launch) && add(CaseUse::named, std::move(workload)))
      ++shapes_named_;
  };
  for (const std::int64_t constant : constants) {
    all_at(constant);
    for (const model::Axis& axis : problem_.axes) {
      if (!is_free(axis)) continue;
      for (const std::int64_t size :
           {constant, constant + 2, constant - 1, constant + 1, blocks_beyond(axis, constant)}) {
        if (shapes_named_ == most_named) continue;
        if (axis.alone && axis.maximum && size > *axis.maximum && size <= *axis.alone) {
          if (size % axis.multiple_of.value_or(1) != 0) continue;  // legal_value() ends at the maximum
          if (auto workload = alone_at(axis, size); workload && add(CaseUse::alone, std::move(*workload)))
            ++shapes_named_;
        } else if (size == legal_value(axis, size)) {
          name(one_long(axis, size));
        }
      }
    }
  }
  // What such a path makes of the other sizes shows where they are neither one nor even.
  constexpr std::int64_t odd = 3;
  const std::size_t most = shapes_named_ + most_beside_odd;
  for (const std::int64_t constant : constants) {
    for (const model::Axis& axis : problem_.axes) {
      if (!is_free(axis) || constant != legal_value(axis, constant) || shapes_named_ == most) continue;
      model::Workload workload = first_;
      std::int64_t other = odd;
      for (const model::Axis& beside : problem_.axes) {
        if (!is_free(beside)) continue;
        workload.axes[beside.name] = legal_value(beside, &beside == &axis ? constant : other);
        if (&beside != &axis) other += 2;
      }
      if (other > odd) name(std::move(workload));
    }
  }
}

void ShapeCollector::add_regular(std::uint64_t entropy) {
  const auto axes = std::ranges::count_if(problem_.axes, is_free);
  model::RandomStream stream({.seed = entropy, .generation = 0, .slot = 0, .purpose = "regular sizes"});
  const auto below = [&](std::uint64_t end) { return static_cast<std::int64_t>(stream.below(end)); };
  const std::int64_t odd = below(16), first = below(3), tiles = 1 + below(2);
  const auto all = [&](const auto& size_of) {
    std::int64_t index = 0;
    model::Workload workload = first_;
    for (const model::Axis& axis : problem_.axes) {
      if (is_free(axis)) workload.axes[axis.name] = legal_value(axis, size_of(index++));
    }
    const auto bound = bind(workload);
    return bound && bound->flops <= named_flops && few_enough(bound->launch) &&
           add(CaseUse::swept, std::move(workload));
  };
  // Smaller where it costs too much.
  for (std::int64_t about = 17; axes > 2 && about > 2; about /= 2)
    if (all([&](std::int64_t) { return about + odd % about; })) break;
  // Whole tiles up to an axis's maximum; 0, which no axis is, where it has no room for one.
  std::int64_t index = 0;
  const auto whole = [&](const model::Axis& axis, std::int64_t tile, std::int64_t count) {
    const std::int64_t step = std::lcm(tile, axis.multiple_of.value_or(1));
    const std::int64_t most = axis.maximum ? *axis.maximum / step : count;
    return step * std::min(count, most);
  };
  const auto all_whole = [&](std::int64_t tile, const auto& count) {
    index = 0;
    model::Workload workload = first_;
    for (const model::Axis& axis : problem_.axes) {
      if (!is_free(axis)) continue;
      const std::int64_t size = whole(axis, tile, count(index++));
      if (size == 0 || size != legal_value(axis, size)) return false;
      workload.axes[axis.name] = size;
    }
    const auto bound = bind(workload);
    return bound && bound->flops <= named_flops && model::threads_in(bound->launch) <= named_threads &&
           few_enough(bound->launch) && add(CaseUse::swept, std::move(workload));
  };
  const auto different = [&](std::int64_t at) { return 1 + (first + at) % 3; };
  for (std::int64_t tile = 128; axes > 1 && tile >= 16; tile /= 2)
    if (all_whole(tile, different)) break;
  for (std::int64_t tile = 128; axes > 1 && tile >= 16; tile /= 2)
    if (all_whole(tile, [&](std::int64_t) { return tiles; })) break;
  // What 3 and 5 divide as well, and with it tiles of 48, 80, 96, 160, 192, 384, 640 and so on.
  for (std::int64_t tile = 7680; axes > 0 && tile >= 240; tile /= 2) {
    if (!all_whole(tile, [&](std::int64_t) { return std::int64_t{1}; })) continue;
    if (all([&](std::int64_t) { return tile - 1; })) break;
  }
}

void ShapeCollector::show_alone(std::uint64_t entropy, std::uint64_t chosen_by) {
  std::vector<model::Workload> found;
  std::size_t index = 0;
  for (const model::Axis& axis : problem_.axes) {
    model::RandomStream stream({.seed = entropy, .generation = 0, .slot = index++, .purpose = "alone"});
    if (!is_free(axis) || !axis.alone || !axis.maximum) continue;
    const std::int64_t step = axis.multiple_of.value_or(1);
    bool round = false;  // every second one
    for (std::int64_t end = *axis.alone; end > *axis.maximum; end /= 4, round = !round) {
      // In the last quarter, where neither tiles nor vectors end.
      const auto short_of = static_cast<std::int64_t>(stream.below(static_cast<std::uint64_t>(end / 4) + 1));
      std::int64_t size = ((end - short_of - 1) | 1) / step * step;
      // Or where those of nearly every size do.
      if (const std::int64_t most = std::lcm(round_sizes, step); round && size >= most) size -= size % most;
      if (size <= *axis.maximum) continue;
      if (auto workload = alone_at(axis, size)) found.push_back(std::move(*workload));
    }
  }
  if (chosen_by != 0 && !found.empty()) found = {found[chosen_by % found.size()]};
  for (model::Workload& workload : found) add(CaseUse::alone, std::move(workload));
  if (chosen_by == 0) show_pairs(entropy);
}

/// Two axes beyond 16 bits at once, where no array has both: a product of the two leaves 32 bits.
void ShapeCollector::show_pairs(std::uint64_t entropy) {
  constexpr std::int64_t beyond_16_bits = 70'001, cheap_bytes = std::int64_t{16} << 20;
  constexpr double cheap_threads = 262144;
  constexpr std::uint64_t reference_budget = std::uint64_t{1} << 20;  // of a block, too
  model::RandomStream stream({.seed = entropy, .generation = 0, .slot = 0, .purpose = "pairs"});
  const auto long_size = [&](const model::Axis& axis) {
    const std::int64_t step = axis.multiple_of.value_or(1);
    const auto size = beyond_16_bits + static_cast<std::int64_t>(stream.below(4096));
    return is_free(axis) && axis.alone && *axis.alone >= size ? size / step * step : 0;
  };
  int pairs = 0;
  for (const model::Axis& a : problem_.axes) {
    for (const model::Axis& b : problem_.axes) {
      if (&b == &a) break;
      const std::int64_t of_a = long_size(a), of_b = long_size(b);
      auto workload = of_a > 0 && of_b > 0 ? alone_at(a, of_a) : std::nullopt;
      if (!workload || pairs == 3) continue;
      workload->axes[b.name] = of_b;
      const auto bound = bind(*workload);
      if (!bound || oracle::case_bytes(*bound) > cheap_bytes ||
          model::threads_in(bound->launch) > cheap_threads || !few_enough(bound->launch) ||
          !add(CaseUse::alone, std::move(*workload)))
        continue;
      // It may well have a loop over both.
      shapes_.back().reference_budget = reference_budget;
      ++pairs;
    }
  }
}

/// The other axes are small, though not so small that an array has no elements.
std::optional<model::Workload> ShapeCollector::alone_at(const model::Axis& axis, std::int64_t size) const {
  for (const std::int64_t others : {3, 9, 1}) {
    model::Workload workload = first_;
    for (const model::Axis& other : problem_.axes) {
      if (is_free(other)) workload.axes[other.name] = legal_value(other, others);
    }
    workload.axes[axis.name] = size;
    const auto bound = bind(workload);
    if (bound && few_enough(bound->launch) && fits(workload)) return workload;
  }
  return std::nullopt;
}

/// Every free axis, where there are several.
void ShapeCollector::all_at(std::int64_t constant) {
  model::Workload workload = first_;
  int axes = 0;
  for (const model::Axis& axis : problem_.axes) {
    if (!is_free(axis)) continue;
    if (constant != legal_value(axis, constant)) return;
    workload.axes[axis.name] = constant;
    ++axes;
  }
  const auto bound = bind(workload);
  if (axes > 1 && bound && bound->flops <= named_flops && shapes_named_ < most_named &&
      model::threads_in(bound->launch) <= named_threads && few_enough(bound->launch) &&
      add(CaseUse::named, std::move(workload)))
    ++shapes_named_;
}

/// The size of the axis with which the grid has a block of that number; -1: it has one without.
std::int64_t ShapeCollector::blocks_beyond(const model::Axis& axis, std::int64_t number) const {
  const auto bound = bind(one_long(axis, legal_value(axis, number)));
  if (!bound) return -1;
  const auto& grid = bound->launch.grid;
  const std::int64_t blocks = std::max({grid[0], grid[1], grid[2]});
  const std::int64_t of_a_block = number / std::max<std::int64_t>(blocks, 1);
  return of_a_block < 2 ? -1 : (number + 2) * (of_a_block + 1);
}

std::int64_t legal_value(const model::Axis& axis, std::int64_t value) {
  if (axis.minimum) value = std::max(value, *axis.minimum);
  if (axis.maximum) value = std::min(value, *axis.maximum);
  if (!axis.multiple_of || value % *axis.multiple_of == 0) return value;
  const std::int64_t down = value - value % *axis.multiple_of;
  return axis.minimum && down < *axis.minimum ? down + *axis.multiple_of : down;
}

const model::Axis* largest_free_axis(const model::Problem& problem, const model::Workload& workload) {
  const model::Axis* largest = nullptr;
  std::int64_t most = 0;
  for (const model::Axis& axis : problem.axes) {
    const auto value = workload.axes.find(axis.name);
    if (!is_free(axis) || value == workload.axes.end() || value->second <= most) continue;
    largest = &axis;
    most = value->second;
  }
  return largest;
}

}  // namespace evo::evaluators::gates
