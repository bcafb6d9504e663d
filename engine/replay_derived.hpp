// Rows that follow from the trials: generations, insights, the end of the run. Replay derives them again.
#pragma once

#include <vector>

#include "engine/ledger.hpp"
#include "engine/replay.hpp"
#include "engine/search_space.hpp"
#include "model/experiment.hpp"

namespace evo::engine {

void compare_derived_rows(const model::Experiment& experiment, const SearchSpace& space, const Ledger& ledger,
                          const std::vector<TrialRecord>& trials, std::vector<Mismatch>& mismatches);

}  // namespace evo::engine
