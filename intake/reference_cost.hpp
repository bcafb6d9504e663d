// What a reference costs, and sizes at which it is worth that.
#pragma once

#include <cstdint>
#include <optional>

#include "intake/draft.hpp"
#include "model/artifact.hpp"

namespace evo::intake {

/// Instructions of warps in one launch of the reference (one thread alone costs a warp), as two launches at
/// small sizes let expect: it is taken to grow with a power of the sizes, the same one for all axes.
class ReferenceCost {
 public:
  /// None where the reference cannot be run at small sizes, or its arrays have no known shapes.
  static std::optional<ReferenceCost> measure(const Draft& draft, const model::Artifact& reference);

  /// At these sizes, by axis, in the draft's order.
  [[nodiscard]] double at(const std::vector<double>& sizes) const;
  /// 1: twice the sizes, twice the instructions; 2: four times. Of all axes together.
  [[nodiscard]] double power() const { return power_; }

 private:
  std::vector<double> sizes_;  ///< of the larger launch
  double instructions_ = 0, power_ = 0;
};

/// The nearest size that is legal; an axis of compile time keeps its own.
[[nodiscard]] std::int64_t legal_size(const DraftAxis& axis, std::int64_t size);

/// Instructions of warps that a launch of a reference may take in each of the hundred cases of a run: a
/// second.
constexpr double usual_cost = 1e7;
/// Those that are some minutes.
constexpr double long_cost = 1e9;

/// Beyond 16 and 17 bits.
constexpr std::int64_t wide_size = 200'000;

/// Gives the only axis this greatest size, where the grid grows with it and nothing else of the launch does,
/// so that blocks are all that a larger size takes; where the kernel's `ptx` shows that no block waits for
/// others (atomics, volatile and acquiring loads, a grid's barrier), which bounds how many there may be; and
/// where the reference keeps to `usual_cost`. An axis that says its greatest size, its values or what they
/// are multiples of keeps to that.
void widen_sizes(Draft& draft, const ReferenceCost& cost, const std::string& ptx);

/// Instructions that the reference may take with one axis long and the others small: a share of a second.
constexpr double cost_alone = 2e6;

/// Of an only axis: 16 blocks count more of it than 16 bits do, each.
constexpr std::int64_t widest_alone = std::int64_t{1} << 21;

/// Gives axes that say no greatest size, and are no list of values, `alone`: up to one of these, by what the
/// reference takes with this axis long and the others small (two launches each tell), and by the elements of
/// the arrays there. What is hardly more than the usual greatest size is left. Before limit_sizes(), and
/// `limited_only` of the axes that got a smaller greatest size from that.
void show_sizes_alone(Draft& draft, const model::Artifact& reference, bool limited_only = false);

/// Gives axes that say no greatest size one at which the reference keeps to `usual_cost`, though none below
/// the largest workload, where the usual one would cost more, by `cost`, where that is known, or by a launch
/// of the `reference` there; and says so in `notes`, as it does of workloads that cost more than `long_cost`.
void limit_sizes(Draft& draft, const std::optional<ReferenceCost>& cost, const model::Artifact& reference);

}  // namespace evo::intake
