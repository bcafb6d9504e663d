// What a run cost, what it gave for that, and why it ended: from its ledger alone.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>

#include "engine/budget.hpp"
#include "engine/trial.hpp"
#include "model/experiment.hpp"

namespace evo::engine {

/// A part of the ladder. Its seconds are sums over trials that may have run side by side.
struct PhaseCost {
  const char* name;           ///< "compile" (legality to resources), "correctness" (with sanitize), "timing"
  double seconds = 0;         ///< in the gates
  double device_seconds = 0;  ///< of the trials' device time, shared out by the gates' seconds
  double cost = 0;            ///< of the cost, by its part of the device time
};

struct Economics {
  std::array<PhaseCost, 3> phases{{{"compile"}, {"correctness"}, {"timing"}}};
  double device_seconds = 0, cost = 0;
  /// Percent of the baseline's latency that the champion saves; nullopt without both.
  std::optional<double> gain_percent;
  /// Price of one of these percents; nullopt without a price or without a gain.
  std::optional<double> cost_per_percent, device_seconds_per_percent;
  /// Why no more was tried: "trials" (all that the budget has), "space" (every legal genome was tried), a
  /// budget of model::Budget, "stop_if", "baseline", or "" while the run can go on.
  std::string stopped_by;
  std::string stopped;  ///< the same as a sentence, with the numbers
};

/// What trials cost, taken in one by one.
class TrialCosts {
 public:
  void add(const TrialRecord& trial);

  [[nodiscard]] std::int64_t trials() const { return trials_; }
  [[nodiscard]] double device_seconds() const { return device_seconds_; }
  [[nodiscard]] double cost(const model::Budget& budget) const { return costs_.cost(budget); }
  [[nodiscard]] const std::array<PhaseCost, 3>& phases() const { return phases_; }  ///< cost 0
  /// Of the first trial, if it is correct.
  [[nodiscard]] const std::optional<model::Latency>& baseline() const { return baseline_; }

 private:
  std::int64_t trials_ = 0;
  std::array<PhaseCost, 3> phases_ = Economics{}.phases;
  double device_seconds_ = 0;
  Costs costs_;
  std::optional<model::Latency> baseline_;
};

/// `champion`: whose gain counts; nullptr without one.
[[nodiscard]] Economics economics_of(const model::Experiment& experiment, const TrialCosts& costs,
                                     std::span<const EventRecord> events, bool space_exhausted,
                                     const TrialRecord* champion);
/// The same of `trials`.
[[nodiscard]] Economics economics_of(const model::Experiment& experiment, std::span<const TrialRecord> trials,
                                     std::span<const EventRecord> events, bool space_exhausted,
                                     const TrialRecord* champion);

}  // namespace evo::engine
