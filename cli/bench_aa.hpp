#pragma once

#include "cli/options.hpp"

namespace evo::cli {

/// Takes options.aa copies of the baseline of options.subject (a run folder or an experiment) up the whole
/// ladder and prints what became of them; see session/aa.hpp. Returns 0 if none was faster and none refused,
/// otherwise 6.
int bench_aa(const terminal::CommonOptions& common, const BenchOptions& options);

}  // namespace evo::cli
