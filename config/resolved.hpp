// The experiment as it was understood, with every default written out: what a run folder keeps.
#pragma once

#include <string>

#include "model/experiment.hpp"

namespace evo::config {

/// YAML that load_experiment() reads back to the same experiment. The problem is named by its absolute
/// folder.
[[nodiscard]] std::string resolved_yaml(const model::Experiment& experiment);

}  // namespace evo::config
