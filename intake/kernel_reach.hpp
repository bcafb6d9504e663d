// Inputs of which a kernel reads more than the reference does.
#pragma once

#include "intake/draft.hpp"
#include "model/artifact.hpp"

namespace evo::intake {

/// An input that the reference reads as far as `min(a, b)` of two axes (the taps of a filter, no further than
/// the signal is long) has a or b elements there instead, where the kernel leaves the smaller array and keeps
/// to the larger: whoever has so many taps has all of them. Only of shapes that evo found. Needs a launch.
void widen_to_kernel(Draft& draft, const model::Artifact& kernel);

}  // namespace evo::intake
