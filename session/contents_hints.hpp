// What a user is told to say of what arrays hold, where a baseline is refused. Each "" where it has nothing
// to say.
#pragma once

#include <string>

#include "engine/trial.hpp"
#include "model/problem.hpp"

namespace evo::session {

/// Where the data is evo's own: a line that says what the argument holds.
[[nodiscard]] std::string fill_hint(const engine::TrialRecord& trial, const model::Problem& problem);

/// Arrays of integers hold any whole numbers where nobody says which.
[[nodiscard]] std::string integers_hint(const engine::TrialRecord& trial, const model::Problem& problem);

/// Rows between offsets may be empty, and a mean or a maximum of none is no number.
[[nodiscard]] std::string empty_rows_hint(const engine::TrialRecord& trial, const model::Problem& problem);

}  // namespace evo::session
