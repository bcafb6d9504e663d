// How many jobs a run may have in the queue, which hands them out in the order in which they came: runs that
// have the same number there get the same number of answers.
#pragma once

#include <cstddef>
#include <string>

#include "farm/queue.hpp"

namespace evo::farm {

/// `ahead` times what the run's share of the line's workers does at a time: with 2 none of them waits for the
/// coordinator. 0: nobody is there.
[[nodiscard]] std::size_t fair_share(const Crowd& crowd, const std::string& line, int ahead = 2);

}  // namespace evo::farm
