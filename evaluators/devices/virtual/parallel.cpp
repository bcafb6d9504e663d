#include "evaluators/devices/virtual/parallel.hpp"

#include <algorithm>
#include <thread>
#include <vector>

#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/partitioner.h>
#include <tbb/task_arena.h>

namespace evo::evaluators::virtual_device {

std::size_t available_workers() {
  const std::size_t allowed = tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism);
  const auto arena = static_cast<std::size_t>(std::max(1, tbb::this_task_arena::max_concurrency()));
  return std::max<std::size_t>(1, std::min(allowed, arena));
}

void run_workers(std::size_t count, const std::function<void(std::size_t)>& work) {
#ifdef EVO_SANITIZE_THREAD
  std::vector<std::thread> threads;
  for (std::size_t i = 1; i < count; ++i) threads.emplace_back(work, i);
  if (count > 0) work(0);
  for (std::thread& thread : threads) thread.join();
#else
  tbb::parallel_for(std::size_t{0}, count, work, tbb::simple_partitioner());
#endif
}

}  // namespace evo::evaluators::virtual_device
