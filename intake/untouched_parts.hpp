// Parts of outputs that a reference leaves as they were.
#pragma once

#include <vector>

#include "intake/draft.hpp"
#include "model/artifact.hpp"

namespace evo::intake {

/// What the reference leaves as it was, whatever it was: for each argument whether some of it is.
/// What more blocks write is not left, but the launch is too small. Empty where
/// it cannot be run, or a shape has no value.
[[nodiscard]] std::vector<bool> find_untouched_parts(const Draft& draft, const model::Artifact& reference);

}  // namespace evo::intake
