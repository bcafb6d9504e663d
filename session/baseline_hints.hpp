// What a user can say where a baseline is refused on data or sizes that evo drew.
#pragma once

#include <string>

#include "engine/trial.hpp"
#include "model/experiment.hpp"

namespace evo::session {

/// Lines for a person, each with what to write in problem.yaml and after `evo tune`; "" where nothing is
/// known.
[[nodiscard]] std::string baseline_hints(const engine::TrialRecord& trial,
                                         const model::Experiment& experiment);

}  // namespace evo::session
