// Arrays that a reference fills itself before it reads them, as a recurrence does with its own table.
#pragma once

#include <vector>

#include "intake/draft.hpp"
#include "model/artifact.hpp"

namespace evo::intake {

/// For each argument whether it is in place by the code's order of accesses alone: whatever it held before,
/// the reference leaves the same in every element of every array. Empty where it cannot be run.
[[nodiscard]] std::vector<bool> find_rewritten(const Draft& draft, const model::Artifact& reference);

}  // namespace evo::intake
