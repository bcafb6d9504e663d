// What validate and check print.
#pragma once

#include "cli/options.hpp"
#include "model/experiment.hpp"

namespace evo::cli {

/// Takes the experiment's baseline up the whole ladder on its device and prints the verdicts. Returns 0 when
/// it is valid, 6 when not. `barriers`: where it is valid, each barrier of its source is audited, too
/// (diagnose/barrier_audit.hpp), which changes no exit code.
int prove_and_print(const CommonOptions& common, const model::Experiment& experiment, const std::string& what,
                    bool barriers = false);

}  // namespace evo::cli
