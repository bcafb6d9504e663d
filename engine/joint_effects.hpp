// Effects of genes and of pairs of genes on the latency, estimated together.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "engine/trial.hpp"
#include "model/space.hpp"
#include "model/value.hpp"

namespace evo::engine {

/// What ln(latency) gains when a reference's genes get these values. Of two genes: what both together do
/// beyond the sum of each alone.
struct JointEffect {
  model::Environment values;
  double effect = 0;
  std::array<double, 2> interval{};  ///< all intervals of a fit hold together with 95 %
  std::int64_t trials = 0;           ///< correct ones with these values

  [[nodiscard]] bool significant() const { return interval[0] > 0 || interval[1] < 0; }
};

struct JointFit {
  std::int64_t trials = 0;           ///< correct ones of the template, over all runs
  double noise = 0;                  ///< standard deviation of ln(latency) that no effect explains
  std::vector<JointEffect> effects;  ///< genes in the order of their names, then pairs as they were found
};

/// All intervals of a fit of latencies hold together with 1 less this.
inline constexpr double joint_error = 0.05;

/// A number of one variant.
struct JointRow {
  std::size_t level = 0;  ///< what it is measured with, which has a level of its own
  const model::Genome* genome = nullptr;
  double y = 0;  ///< whose deviations are of the size of those of ln(latency): the prior is for them
};

/// What the rows' genes do to their numbers, as joint_effects() says. All intervals hold together with 1 less
/// `error`. Empty below eight rows.
[[nodiscard]] JointFit joint_effects_of(std::span<const JointRow> rows, std::size_t levels,
                                        const model::Genome& reference, double error);

/// The trials of one template. Each history gets a level of its own: runs differ by their device and day.
///
/// ln(latency) = level + sum of the effects of every value that differs from the reference's + effects of
/// pairs. Pairs enter one after the other, the strongest first, each only if it is significant among all
/// pairs that occur (Bonferroni), at most twelve. A weak prior (engine/ridge) makes what always occurs
/// together wide, and so not significant. A trial that was edited into genes that the reference lacks counts
/// with a value of these. Empty below eight correct trials.
[[nodiscard]] JointFit joint_effects(std::span<const std::span<const TrialRecord>> histories,
                                     std::string_view template_name, const model::Genome& reference);

}  // namespace evo::engine
