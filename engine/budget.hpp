// The budgets of a run.
#pragma once

#include <optional>
#include <string>

#include "engine/trial.hpp"
#include "model/experiment.hpp"

namespace evo::engine {

/// Price of device time, in the unit of Budget::money.
[[nodiscard]] double money_of(const model::Budget& budget, double device_seconds);

/// The event that ends the run when a budget that a clock decides is spent after `trials` commits; nullopt
/// while there is some left. The trials budget is not among them: it is known beforehand.
[[nodiscard]] std::optional<EventRecord> spent_budget(const model::Budget& budget, std::int64_t trials,
                                                      double elapsed_seconds, double device_seconds);

}  // namespace evo::engine
