// What the data of a whole correctness gate takes, launch by launch.
#pragma once

#include "model/experiment.hpp"

namespace evo::bench {

/// Compiles the experiment's baseline, plans its correctness gate for a real device, once as a baseline and
/// once as any candidate of the search, and makes the inputs and references of each launch in turn, as a
/// device's worker does. Prints a table by what the cases are for, and the dearest launches. Needs no GPU.
int print_plan(const model::Experiment& experiment);

}  // namespace evo::bench
