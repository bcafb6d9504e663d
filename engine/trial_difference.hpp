// Field by field: what the ledger says against what a replay found.
#pragma once

#include <vector>

#include "engine/replay.hpp"
#include "engine/trial.hpp"

namespace evo::engine {

/// Fields that the proposal decides.
void compare_proposal(const TrialRecord& expected, const TrialRecord& got, std::vector<Mismatch>& mismatches);
/// Fields that the verdict decides. No clock times. Of what a real device said (`measured`) latencies are
/// left out, and evidence is compared by kind only: addresses and indices may differ from run to run.
void compare_verdict(const TrialRecord& expected, const TrialRecord& got, bool measured,
                     std::vector<Mismatch>& mismatches);

/// Shortest text that reads back as the same number.
[[nodiscard]] std::string number_text(double value);

}  // namespace evo::engine
