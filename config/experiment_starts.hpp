// The designs that a run tries directly behind its baseline: `starts` and `priors` of an experiment.
#pragma once

#include "config/yaml_reader.hpp"
#include "model/experiment.hpp"

namespace evo::config {

/// Fills experiment.initial_designs and experiment.priors; problem, target, templates and baseline are there
/// already. Throws Invalid at a design that is not legal.
void read_starts_and_priors(const Reader& root, model::Experiment& experiment);

/// Appends `design` to the starts, unless it is the baseline or stands there already; whether it did.
bool add_start(model::Experiment& experiment, model::InitialDesign design);

}  // namespace evo::config
