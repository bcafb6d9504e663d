#include "evaluators/gates/drawn_shapes.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <variant>

#include <fmt/format.h>

#include "evaluators/gates/check_plan.hpp"
#include "evaluators/gates/shape_collector.hpp"
#include "evaluators/oracle/layout.hpp"
#include "model/random.hpp"

namespace evo::evaluators::gates {
namespace {

constexpr std::int64_t beyond_8_bits = 257, beyond_16_bits = 70'001;
constexpr std::int64_t tiles_in_a_stretch = 10;
constexpr std::int64_t widest_tile = 128;  // a wider gene counts something else
/// What a stretched case may cost where all of it runs, and what an axis beyond 16 bits may.
constexpr double most_flops = 536870912, cheap_flops = 4194304;  // 2^29, 2^22
/// What a case with all axes large may cost, and below which size they are not large any more.
constexpr double all_axes_flops = 33554432;  // 2^25
constexpr std::int64_t least_of_all = 64;
/// How many of an axis's smallest values are shown, but in a search, where it is the least.
constexpr std::int64_t least_sizes = 4;
constexpr std::int64_t some = 9;                   ///< of the axes beside it
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

class Drawer : public ShapeCollector {
 public:
  Drawer(const TemplateContext& context, const model::Genome& genome, std::uint64_t entropy)
      : ShapeCollector(context, genome),
        entropy_(entropy),
        stream_({.seed = entropy, .generation = 0, .slot = 0, .purpose = "shapes"}) {}

  std::vector<DrawnShape> run(const Extent& extent) {
    const bool more = extent.more;
    blocks_wait_ = extent.blocks_wait;
    for (int i = 0; i < (more ? 3 : 1); ++i) {
      all_different();
      one_wide();
    }
    unlisted_flags();
    add(CaseUse::placed, round(true));
    add(CaseUse::placed, round());
    sweep();
    for (int i = 0; i < (more ? 2 : 1); ++i) stretch();
    stretch_all();
    smallest(extent.chosen_by == 0 ? least_sizes : 1);
    if (extent.chosen_by == 0) many_blocks();
    if (extent.chosen_by == 0) at_maxima();
    name_constants(extent.constants);
    if (extent.beyond_floats) beyond_floats(extent.reduced);
    add_regular(entropy_);
    show_alone(entropy_, extent.chosen_by);
    if (extent.tiles) show_tiles(*extent.tiles);
    if (extent.chosen_by == 0) different_tiles();
    return std::move(shapes_);
  }

 private:
  std::int64_t below(std::int64_t end) {
    return static_cast<std::int64_t>(
        stream_.below(static_cast<std::uint64_t>(std::max<std::int64_t>(end, 1))));
  }

  /// The first workload, with the flags of `from`.
  [[nodiscard]] model::Workload with_flags_of(const model::Workload& from) const {
    model::Workload result = first_;
    for (const model::Axis& axis : problem_.axes) {
      const auto value = from.axes.find(axis.name);
      if (!axis.compile_time && !axis.allowed.empty() && value != from.axes.end())
        result.axes[axis.name] = value->second;
    }
    return result;
  }

  /// Adds what `resize` makes of the first workload, with the flags of one that is declared: a drawn one, or
  /// the next that allows such sizes (a view with 64-bit strides does not).
  template <class Resize>
  void add_flagged(CaseUse use, const Resize& resize) {
    const auto& declared = problem_.check_workloads;
    const std::size_t chosen =
        declared.empty() ? 0 : static_cast<std::size_t>(below(static_cast<std::int64_t>(declared.size())));
    for (std::size_t i = 0; i < declared.size(); ++i) {
      model::Workload workload = with_flags_of(declared[(chosen + i) % declared.size()]);
      resize(workload);
      if (fits(workload)) {
        add(use, std::move(workload));
        return;
      }
    }
    model::Workload workload = first_;
    resize(workload);
    add(use, std::move(workload));
  }

  /// Small sizes, of which no two are equal, so that whoever mistakes one for another is seen.
  void all_different() {
    std::array<std::int64_t, 6> small{2, 3, 5, 4, 7, 6};
    std::swap(small[0], small[static_cast<std::size_t>(below(2))]);
    const std::int64_t largest = 17 + below(13);
    add_flagged(CaseUse::drawn, [&](model::Workload& workload) {
      set_others(workload, [&](std::size_t i) { return small[i % small.size()]; });
      if (largest_ != nullptr) workload.axes[largest_->name] = legal_value(*largest_, largest);
    });
  }

  /// One of the other axes is wide, so that a count of heads, say, that was built in shows.
  void one_wide() {
    const auto others = static_cast<std::int64_t>(
        std::count_if(problem_.axes.begin(), problem_.axes.end(),
                      [&](const model::Axis& axis) { return is_free(axis) && &axis != largest_; }));
    const auto chosen = static_cast<std::size_t>(below(others));
    const std::int64_t wide = 7 + below(5);
    const std::int64_t largest = others == 0 ? 46 + below(200) : 5 + below(13);
    add_flagged(CaseUse::drawn, [&](model::Workload& workload) {
      set_others(workload, [&](std::size_t i) { return i == chosen ? wide : std::int64_t{1}; });
      if (largest_ != nullptr) workload.axes[largest_->name] = legal_value(*largest_, largest);
    });
  }

  /// Sizes that are whole tiles are all one tile in the shapes above, 32 each: then all at different numbers
  /// of them, odd ones too, so that nothing is a power of two or square. As many as stay light. Draws of its
  /// own.
  void different_tiles() {
    if (std::ranges::none_of(problem_.axes, [](const model::Axis& axis) {
          return is_free(axis) && axis.multiple_of.value_or(1) > 1;
        }))
      return;
    model::RandomStream stream({.seed = entropy_, .generation = 0, .slot = 0, .purpose = "different tiles"});
    const std::size_t turn = stream.below(3);
    for (const auto& tiles : {std::array<std::int64_t, 3>{3, 7, 5}, std::array<std::int64_t, 3>{3, 2, 5},
                              std::array<std::int64_t, 3>{3, 1, 2}}) {
      std::size_t of_tiles = turn;
      std::int64_t other = 3;
      model::Workload workload = first_;
      for (const model::Axis& axis : problem_.axes) {
        if (!is_free(axis)) continue;
        const std::int64_t step = axis.multiple_of.value_or(1);
        const std::int64_t size = step > 1 ? step * tiles[of_tiles++ % tiles.size()] : other;
        if (step == 1) other += 2;
        workload.axes[axis.name] = legal_value(axis, size);
      }
      const auto bound = bind(workload);
      if (bound && bound->flops <= light_flops && few_enough(bound->launch) &&
          add(CaseUse::drawn, std::move(workload)))
        return;
    }
  }

  /// `usual`: flags, and axes that have few values, as the problem says where nobody names them, since those
  /// of the workload may be some for which no kernel has a vector path.
  model::Workload round(bool usual = false) {
    model::Workload workload = first_;
    for (const model::Axis& axis : problem_.axes) {
      if (usual && !axis.compile_time && axis.initial && (has_few_values(axis) || !axis.allowed.empty()))
        workload.axes[axis.name] = *axis.initial;
    }
    for (const model::Axis& axis : problem_.axes) {
      // Not above the workload's own: an axis may be a stride that is 1 there.
      std::int64_t& value = workload.axes[axis.name];
      if (is_free(axis) && &axis != largest_) value = legal_value(axis, std::min<std::int64_t>(value, 2));
    }
    if (largest_ != nullptr) workload.axes[largest_->name] = legal_value(*largest_, 32);
    return workload;
  }

  /// The largest axis at lengths of every remainder modulo 16, and at 16, 48, 80 or 112, which tiles of 32
  /// and more do not divide; every value of an axis that has few.
  void sweep() {
    if (largest_ == nullptr) return;
    for (std::int64_t remainder = 0; remainder < 16; ++remainder) {
      const std::int64_t length = 16 * (1 + below(3)) + remainder;
      add_flagged(CaseUse::swept, [&](model::Workload& workload) { resize(workload, 2, length); });
    }
    const std::int64_t odd_tiles = 16 * (1 + 2 * below(4));
    add_flagged(CaseUse::swept, [&](model::Workload& workload) { resize(workload, 1, odd_tiles); });
    for (const model::Axis& axis : problem_.axes) {
      if (!has_few_values(axis)) continue;
      for (std::int64_t value = *axis.minimum; value <= *axis.maximum; ++value) {
        model::Workload workload = round();
        workload.axes[axis.name] = value;
        if (legal_value(axis, value) != value) continue;
        add(CaseUse::swept, workload);
        if (value > first_.axes.at(axis.name)) add_longer(std::move(workload));
      }
    }
  }

  /// The same beyond one tile, for values of an axis that the workload does not have.
  void add_longer(model::Workload workload) {
    workload.axes[largest_->name] = legal_value(*largest_, beyond_8_bits + below(64));
    const auto bound = bind(workload);
    if (bound && bound->flops <= all_axes_flops && few_enough(bound->launch))
      add(CaseUse::swept, std::move(workload));
  }

  /// Each free axis at the first sizes that it allows, and all axes at their least: one row, one column, one
  /// element, which much that is drawn passes over. No draws: what else is drawn stays.
  void smallest(std::int64_t sizes) {
    model::Workload least = first_;
    std::size_t axes = 0;
    for (const model::Axis& axis : problem_.axes) {
      if (!is_free(axis)) continue;
      const std::int64_t first = legal_value(axis, 1), step = axis.multiple_of.value_or(1);
      least.axes[axis.name] = first;
      ++axes;
      for (std::int64_t i = 0; i < sizes && !has_few_values(axis); ++i) {
        model::Workload workload = round(true);
        // A neighbourhood needs more than two of the others.
        for (const model::Axis& other : problem_.axes) {
          if (is_free(other) && &other != largest_)
            workload.axes[other.name] = legal_value(other, std::min(first_.axes.at(other.name), some));
        }
        workload.axes[axis.name] = legal_value(axis, first + i * step);
        add(CaseUse::swept, std::move(workload));
      }
    }
    if (axes > 1) add(CaseUse::swept, std::move(least));
  }

  void resize(model::Workload& workload, std::int64_t others, std::int64_t largest) {
    set_others(workload, [&](std::size_t) { return others; });
    workload.axes[largest_->name] = legal_value(*largest_, largest);
  }

  /// Legal values of flags that no declared workload has.
  void unlisted_flags() {
    for (const model::Axis& axis : problem_.axes) {
      if (axis.compile_time || axis.allowed.empty()) continue;
      std::set<std::int64_t> seen{first_.axes.at(axis.name)};
      for (const auto* declared : {&problem_.check_workloads, &context_.experiment->workloads}) {
        for (const model::Workload& workload : *declared) {
          if (const auto value = workload.axes.find(axis.name); value != workload.axes.end())
            seen.insert(value->second);
        }
      }
      for (const std::int64_t value : axis.allowed) {
        if (seen.contains(value)) continue;
        model::Workload workload = round();
        workload.axes[axis.name] = value;
        add(CaseUse::drawn, std::move(workload));
      }
    }
  }

  /// All axes at once beyond 8 bits, where that is cheap: a product of two sizes that overflows shows.
  void stretch_all() {
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

  /// Where the axis ends before `value`, a drawn value in its last quarter: its end may be a round number.
  std::int64_t below_maximum(const model::Axis& axis, std::int64_t value) {
    if (!axis.maximum || value <= *axis.maximum || *axis.maximum < 4 * few_values)
      return legal_value(axis, value);
    return legal_value(axis, *axis.maximum - 1 - below(*axis.maximum / 4));
  }

  void stretch() {
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

  /// A grid of more than 256 blocks, where each does some work: who counts blocks by the threads of one, or
  /// in 8 bits, shows. Also where blocks may wait, since a last block adds up what all have left. An axis
  /// that is shown alone goes beyond its maximum for it.
  void many_blocks() {
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

  /// All axes at the `max` that the problem declares, and each of them alone, where that costs little: a
  /// count or a product of two that is too large from somewhere on shows there, if at all.
  void at_maxima() {
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

  [[nodiscard]] bool cheap(const model::Workload& workload) const {
    const auto bound = bind(workload);
    if (!bound) return false;
    std::int64_t threads = 1;
    for (std::size_t i = 0; i < 3; ++i)
      threads *= std::int64_t{bound->launch.grid[i]} * std::int64_t{bound->launch.block[i]};
    return threads <= cheap_threads && bound->flops <= cheap_flops &&
           oracle::case_bytes(*bound) <= cheap_bytes && fits(workload);
  }

  /// The first axis that may be so long, beyond the whole numbers that a float holds: an index or a count in
  /// one is off there, and where a block has 256 elements, one of blocks in 16 bits overflows.
  void beyond_floats(const std::vector<std::string>& reduced) {
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

  /// Or the product of two axes of one array, which each alone is too short for: an index of rows and
  /// columns. Up to their `max`: what an axis has alone holds beside small sizes.
  void beyond_floats_of_two(const std::vector<std::string>& reduced) {
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

  std::uint64_t entropy_;
  model::RandomStream stream_;
};

}  // namespace

std::vector<DrawnShape> draw_shapes(const TemplateContext& context, const model::Genome& genome,
                                    std::uint64_t entropy, Extent extent) {
  return Drawer(context, genome, entropy).run(extent);
}

}  // namespace evo::evaluators::gates
