#include "evaluators/gates/drawn_shapes.hpp"

#include <algorithm>
#include <array>
#include <set>

#include "evaluators/gates/check_plan.hpp"
#include "evaluators/gates/long_shapes.hpp"
#include "model/random.hpp"

namespace evo::evaluators::gates {
namespace {

/// How many of an axis's smallest values are shown, but in a search, where it is the least.
constexpr std::int64_t least_sizes = 4;
constexpr std::int64_t some = 9;  ///< of the axes beside it

class Drawer : public LongShapes {
 public:
  Drawer(const TemplateContext& context, const model::Genome& genome, std::uint64_t entropy)
      : LongShapes(context, genome, entropy), entropy_(entropy) {}

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

  std::uint64_t entropy_;
};

}  // namespace

std::vector<DrawnShape> draw_shapes(const TemplateContext& context, const model::Genome& genome,
                                    std::uint64_t entropy, Extent extent) {
  return Drawer(context, genome, entropy).run(extent);
}

}  // namespace evo::evaluators::gates
