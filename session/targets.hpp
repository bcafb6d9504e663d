// The target of an experiment that was put together without a file.
#pragma once

#include <string>

#include "model/error.hpp"
#include "model/experiment.hpp"

namespace evo::session {

/// Gives `experiment` the target `name` (empty: model::default_target), looked up in targets/ of the working
/// directory and then among those that ship, and all targets that are known. Throws model::Exception:
/// `unknown` for a name that nobody knows, invalid_configuration for a file that cannot be read.
void set_target_or_throw(model::Experiment& experiment, const std::string& name = {},
                         model::ExitCode unknown = model::ExitCode::invalid_configuration);

}  // namespace evo::session
