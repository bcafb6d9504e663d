// The profile gate: does every launch keep the experiment's bounds on counters?
#pragma once

#include <optional>
#include <vector>

#include "evaluators/gates/profiler.hpp"
#include "model/verdict.hpp"

namespace evo::evaluators::gates {

/// Counters that `basis` cannot have: bounds on them could never be judged.
[[nodiscard]] std::vector<std::string> unjudgeable(const std::vector<model::CounterBound>& bounds,
                                                   model::CounterBasis basis);

/// Throws model::Exception(invalid_configuration) that names them, if there are any.
void refuse_unjudgeable(const std::vector<model::CounterBound>& bounds, model::CounterBasis basis);

/// over_budget / "counter_bound" with an evidence for each bound that a kernel breaks, which says whether the
/// value is measured or modelled; over_budget / "counter_missing" where a value was not counted.
[[nodiscard]] std::optional<model::Failure> check_counters(const std::vector<model::CounterBound>& bounds,
                                                           const model::CounterReading& reading);

}  // namespace evo::evaluators::gates
