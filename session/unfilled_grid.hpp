// Grids that round down: what they leave at sizes that are no whole number of blocks.
#pragma once

#include <string>

#include "engine/trial.hpp"
#include "model/experiment.hpp"

namespace evo::session {

/// A line for a person, with what to write in problem.yaml and after `evo tune`, where a trial was refused
/// for wrong or missing elements at a size at which its grid, n / 8, has fewer blocks than fill it; "" where
/// it was not.
[[nodiscard]] std::string unfilled_grid_hint(const engine::TrialRecord& trial,
                                             const model::Experiment& experiment, const std::string& axes);

}  // namespace evo::session
