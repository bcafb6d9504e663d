// A loop over many elements, shared out between threads.
#pragma once

#include <cstddef>

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

namespace evo::evaluators::oracle {

/// do_range(begin, end) over parts of 0 .. count - 1 of about `grain`, on several threads. Isolated, so that
/// a caller's thread that waits here does not pick up the caller's other tasks.
template <typename DoRange>
void in_ranges(std::size_t count, const DoRange& do_range, std::size_t grain = std::size_t{1} << 15) {
  tbb::this_task_arena::isolate([&] {
    tbb::parallel_for(tbb::blocked_range<std::size_t>(0, count, grain),
                      [&](const auto& range) { do_range(range.begin(), range.end()); });
  });
}

}  // namespace evo::evaluators::oracle
