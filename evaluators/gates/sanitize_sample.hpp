// Which blocks of a heavy launch the sanitize gate runs with all checks.
//
// A workload that a user times may be a launch of billions of operations: all of it with every check takes
// tens of CPU seconds a candidate, so that the host and no longer the GPU says how fast a search is. What a
// block does within itself some blocks show, at the workload's own size; what blocks do to each other light
// shapes show, one of which runs whole at least, and neighbours in the sample. The baseline and the champion
// run whole.
#pragma once

#include <cstdint>
#include <vector>

#include "model/variant.hpp"

namespace evo::evaluators::gates {

/// Linear numbers (x + y*nx + z*nx*ny) of the blocks of the case's launch that are to run, ascending: the
/// first and the last, one from the middle, the neighbours of each along every axis of the grid, and others
/// evenly apart. Empty: all of them, since the launch is light, has few blocks, or has further launches
/// behind it, which read what it wrote. Only a launch whose blocks turn out to be independent may be left at
/// that.
[[nodiscard]] std::vector<std::uint64_t> blocks_to_sanitize(const model::Case& shape);

}  // namespace evo::evaluators::gates
