// Right variants kept apart by how they behave (MAP-Elites): the fastest of each cell is a parent, whatever
// the others do. Cells are read off the records, so that the same prefix of a history has the same archive.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "engine/strategies/building_blocks.hpp"
#include "engine/trial.hpp"
#include "evaluators/evaluator.hpp"

namespace evo::engine {

/// Where a trial lies on each axis (model::archive_axes()). An axis that nothing is known of has -1: on a GPU
/// only registers and shared memory are known.
using Cell = std::vector<int>;
[[nodiscard]] Cell cell_of(const TrialRecord& trial, std::span<const std::string> axes);

/// The fastest correct trial of each template and cell, fastest first (the earlier one on a tie).
[[nodiscard]] std::vector<Candidate> elites_of_cells(std::span<const TrialRecord> history,
                                                     std::span<const std::string> axes);

/// Keeps what was counted of a correct variant (model::behaviour_kind) with its record.
void record_behaviour(TrialRecord& trial, const evaluators::Evaluation& evaluation);

}  // namespace evo::engine
