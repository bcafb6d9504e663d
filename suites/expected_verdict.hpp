// The verdict of a suite on what became of a fixture.
#pragma once

#include <cstdint>

#include "suites/results.hpp"

namespace evo::suites {

/// What `attempt`, whose gate and reason are filled in, means against what the attack declares: sets its
/// outcome and whether it is as expected.
void judge(const Attack& attack, AttackAttempt& attempt);

/// Whether another input seed may come to another end: what legality, compile and resources say is said of
/// the source, before any input has been made; and a check of the loop has no inputs of a candidate.
[[nodiscard]] bool depends_on_inputs(const AttackRow& row);

/// The k-th input seed; the first is the entropy itself, so that one seed is what a run without --seeds has.
[[nodiscard]] std::uint64_t seed_of(std::uint64_t entropy, int k);

/// Whether a whole suite is as it should be: nothing unexpected, and of a whole suite of attacks at most 5 %
/// missed. `part`: only some of it was run; `bugs`: of the table of bugs, each has to be caught or to name
/// the device that catches it.
[[nodiscard]] bool good(const AttackTotals& totals, bool bugs, bool part);

}  // namespace evo::suites
