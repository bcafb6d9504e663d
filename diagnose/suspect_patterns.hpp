// What the lines behind each cause look like.
#pragma once

#include <span>
#include <vector>

#include "model/cause.hpp"

namespace evo::diagnose {

using model::Look;
using model::SuspectPattern;

/// A problem's own, then those that hold for any source, in the order in which they are tried: of those of a
/// rule, the first that some line matches counts.
[[nodiscard]] std::vector<SuspectPattern> suspect_patterns(std::span<const SuspectPattern> of_problem = {});

}  // namespace evo::diagnose
