// How many sets of buffers timed launches rotate through for the L2 to hold nothing of the next one's.
#pragma once

#include <cstdint>

namespace evo::evaluators::gates {

/// Of a set of `set_bytes`: so many that more than five times the L2 passes between two uses of one; at least
/// two, at most 2^12: of a set below some 70 KiB (an L2 of 60 MB) less passes. `l2_bytes` 0, not known: as
/// for an L2 that is larger than any known today.
[[nodiscard]] int cold_sets(std::int64_t set_bytes, std::int64_t l2_bytes);

/// `launches`, rounded up so that each of `sets` is used equally often: a graph that ends amid them would
/// come back to the first one too early.
[[nodiscard]] int launches_of_whole_turns(int launches, int sets);

}  // namespace evo::evaluators::gates
