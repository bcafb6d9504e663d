// The attack suite: fixtures that try to fool the evaluator, each with the end that it must come to.
#pragma once

#include "cli/options.hpp"

namespace evo::cli {

/// Takes every fixture of the suite up the ladder and prints the table "caught by which gate"; see
/// suites/runner.hpp. Returns 0 when every fixture ends as its expectation says and at most 5 % of the
/// attacks are missed, otherwise 6.
int bench_attacks(const terminal::CommonOptions& common, const AttackOptions& options);

}  // namespace evo::cli
