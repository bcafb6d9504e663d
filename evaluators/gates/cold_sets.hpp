// How timed launches find the L2 cold: sets of buffers that they rotate through, and an L2 that is emptied.
#pragma once

#include <cstdint>

namespace evo::evaluators::gates {

/// `sets`: at least two. `emptied`: of so small a set that many do not fill the L2; it is emptied before each
/// sample (TimingProtocol::empty_cache), and a sample uses each set once. What it writes is then written back
/// behind it, outside its time.
struct ColdPlan {
  int sets = 2;
  bool emptied = false;
};

/// Of a set of `set_bytes`: so many sets that more than five times the L2 passes between two uses of one, or
/// 64 and an emptied L2 where that would take more. `l2_bytes` 0, not known: as for an L2 that is larger than
/// any known today.
[[nodiscard]] ColdPlan cold_plan(std::int64_t set_bytes, std::int64_t l2_bytes);

/// `launches`, rounded up so that each of `sets` is used equally often: a graph that ends amid them would
/// come back to the first one too early.
[[nodiscard]] int launches_of_whole_turns(int launches, int sets);

/// What is read to empty an L2 of so many bytes (0: not known).
[[nodiscard]] std::int64_t emptying_bytes(std::int64_t l2_bytes);

/// Of a sample, `wanted` of which would be enough.
[[nodiscard]] int cold_launches(int wanted, const ColdPlan& plan);

}  // namespace evo::evaluators::gates
