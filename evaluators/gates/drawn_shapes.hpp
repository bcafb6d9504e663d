// Shapes that nobody declared: drawn from the run's entropy, so that no kernel can know them, and wider than
// what a genome's tiles and small counters span.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "evaluators/gates/bound_variant.hpp"

namespace evo::evaluators::gates {

/// What a case of the correctness gate is for.
enum class CaseUse : std::uint8_t {
  workload,   ///< the experiment's
  odd,        ///< the problem's check_workloads
  drawn,      ///< small, its sizes all different
  placed,     ///< small and round, so that vector paths are taken: each array stands at every alignment
  changed,    ///< strides of some arrays, or scalars, that no expression of the problem gives
  swept,      ///< small: the largest axis at many remainders, each value of an axis that has few
  stretched,  ///< one axis beyond ten tiles and 8-bit counters, beyond 16 bits where that is cheap
  crossed,    ///< sizes, flags and strides of which several are special at once (crossed_cases.hpp)
  rescaled,   ///< likewise, with floating-point scalars that no expression of the problem gives
  unusual,    ///< small: a scalar is zero, of the other sign, or very large (unusual_scalars.hpp)
  named,      ///< an axis at a number that the code compares with (compared_constants.hpp)
  alone,      ///< one axis beyond its `max`, up to its `alone`, the others small
  ranged,     ///< small: a scalar at an end of the range that the problem declares for it
};

struct Extent {
  bool more = false;  ///< as many as for a champion
  /// Blocks may wait for each other on the virtual device, where a thousand of those take minutes: a
  /// stretched shape then has 64 at most, and no axis goes beyond 16 bits.
  bool blocks_wait = false;
  /// Not 0: a trial of a search, which sees a few of the crossed cases; this number chooses which.
  std::uint64_t chosen_by = 0;
  bool crossed = true;  ///< false: without crossed cases
  /// What the candidate's code compares with; empty: no axis is set to that.
  std::vector<std::int64_t> constants{};
  /// An axis goes beyond the whole numbers that a float holds, where that is cheap: one that sums do not grow
  /// with (`reduced`, of grown_bounds.hpp), since a float cannot take such sums.
  bool beyond_floats = false;
  std::vector<std::string> reduced{};
  /// Further values of integers that the problem gives as numbers, by the argument's index (scalar_use.hpp).
  std::map<std::size_t, std::vector<std::int64_t>> scalars{};
  /// Further values of floating-point scalars, likewise (scalar_thresholds.hpp).
  std::map<std::size_t, std::vector<double>> beside{};
  /// Sizes next to whole tiles, those of the launch and of these numbers of the code (tile_sizes.hpp); none:
  /// not shown.
  std::optional<std::vector<std::int64_t>> tiles{};
  /// What the code asks whether such integers are equal to (equal_integers(), scalar_use.hpp): two of them
  /// that have a range are shown with such values at once. None: not shown.
  std::optional<std::map<std::size_t, std::vector<std::int64_t>>> equal{};
};

struct DrawnShape {
  CaseUse use = CaseUse::drawn;
  model::Workload workload;
  std::uint64_t reference_budget = 0;  ///< Case::reference_budget
};

/// Free axes (neither compile-time nor with a list of legal values) are varied, the others keep the values of
/// a declared workload, and each of their legal values occurs. The template's genes say how wide tiles are.
/// The order and the names depend on the arguments only. Sizes outside of the genome's domain are replaced by
/// the nearest within.
[[nodiscard]] std::vector<DrawnShape> draw_shapes(const TemplateContext& context, const model::Genome& genome,
                                                  std::uint64_t entropy, Extent extent);

/// The value nearest to `value` that the axis's bounds and multiple allow.
[[nodiscard]] std::int64_t legal_value(const model::Axis& axis, std::int64_t value);

/// The free axis with the largest value in `workload` (the sequence, the rows); nullptr if there is none.
[[nodiscard]] const model::Axis* largest_free_axis(const model::Problem& problem,
                                                   const model::Workload& workload);

}  // namespace evo::evaluators::gates
