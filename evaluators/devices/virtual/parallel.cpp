#include "evaluators/devices/virtual/parallel.hpp"

#include <time.h>

#include <algorithm>
#include <thread>
#include <vector>

#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/partitioner.h>
#include <tbb/task_arena.h>

namespace evo::evaluators::virtual_device {
namespace {

thread_local double helped_seconds = 0;

std::int64_t thread_cpu_ns() {
  timespec now{};
  if (::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now) != 0) return 0;
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

}  // namespace

HelperMeter::~HelperMeter() {
  helped_seconds += static_cast<double>(nanoseconds_) * 1e-9;
}

void HelperMeter::run(const std::function<void(std::size_t)>& work, std::size_t which) {
  if (std::this_thread::get_id() == maker_) return work(which);
  const std::int64_t before = thread_cpu_ns();
  work(which);
  nanoseconds_ += thread_cpu_ns() - before;
}

double helper_cpu_seconds() {
  return helped_seconds;
}

std::size_t available_workers() {
  const std::size_t allowed = tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism);
  const auto arena = static_cast<std::size_t>(std::max(1, tbb::this_task_arena::max_concurrency()));
  return std::max<std::size_t>(1, std::min(allowed, arena));
}

void run_workers(std::size_t count, const std::function<void(std::size_t)>& task) {
  HelperMeter meter;
  const auto work = [&](std::size_t i) { meter.run(task, i); };
#ifdef __SANITIZE_THREAD__
  std::vector<std::thread> threads;
  for (std::size_t i = 1; i < count; ++i) threads.emplace_back(work, i);
  if (count > 0) work(0);
  for (std::thread& thread : threads) thread.join();
#else
  tbb::parallel_for(std::size_t{0}, count, work, tbb::simple_partitioner());
#endif
}

}  // namespace evo::evaluators::virtual_device
