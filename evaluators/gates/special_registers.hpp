// Which of the machine's special registers a candidate may read.
#pragma once

#include <string_view>

namespace evo::evaluators::gates {

/// What a launch plan and the PTX fix, so that it is the same in each launch: numbers and extents of threads,
/// blocks and clusters, lanes and their masks, sizes and fixed offsets of shared memory (PTX ISA, chapter
/// 10). `name` has no component: "%tid".
[[nodiscard]] bool fixed_by_the_launch(std::string_view name);

/// The chapter's others: clocks, timers, counters, numbers of grid, SM and warp slot, what the driver
/// defines. A name that is in neither list is a register of the module, or unknown here.
[[nodiscard]] bool told_by_the_machine(std::string_view name);

}  // namespace evo::evaluators::gates
