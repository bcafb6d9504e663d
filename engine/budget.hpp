// The budgets of a run.
#pragma once

#include <optional>
#include <string>

#include "engine/trial.hpp"
#include "model/experiment.hpp"

namespace evo::engine {

/// Price of device time, in the unit of Budget::cost.
[[nodiscard]] double cost_of(const model::Budget& budget, double device_seconds);

/// What trials cost: a farm's workers by their own prices (WorkRecord::cost), all else by device time.
class Costs {
 public:
  void add(const TrialRecord& trial) {
    if (trial.work && trial.work->cost)
      priced_ += *trial.work->cost;
    else
      seconds_ += trial.device_seconds;
  }
  [[nodiscard]] double cost(const model::Budget& budget) const { return cost_of(budget, seconds_) + priced_; }

 private:
  double seconds_ = 0, priced_ = 0;
};

/// The event that ends the run when a budget that a clock decides is spent after `trials` commits; nullopt
/// while there is some left. The trials budget is not among them: it is known beforehand.
[[nodiscard]] std::optional<EventRecord> spent_budget(const model::Budget& budget, std::int64_t trials,
                                                      double elapsed_seconds, double device_seconds,
                                                      double cost);

}  // namespace evo::engine
