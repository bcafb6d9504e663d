// What `evo run --dry-run` prints.
#pragma once

#include "model/experiment.hpp"
#include "session/device_choice.hpp"
#include "terminal/common_options.hpp"

namespace evo::terminal {

/// What a run would do, on stdout: spaces with their sizes, starts, workloads, budget. Throws
/// model::Exception as engine::make_search_space() does.
void print_plan(const CommonOptions& common, const model::Experiment& experiment,
                const session::DeviceChoice& device);

}  // namespace evo::terminal
