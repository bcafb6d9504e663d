#pragma once

#include "cli/options.hpp"

namespace evo::cli {

/// `evo doctor --evaluator`: always runs the self-test, prints every check; exit code 0 or 6.
int doctor_evaluator(const Options& options);

}  // namespace evo::cli
