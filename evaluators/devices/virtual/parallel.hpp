// Workers of one launch.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <thread>

namespace evo::evaluators::virtual_device {

/// Host threads that a launch started here may use.
[[nodiscard]] std::size_t available_workers();

/// Calls work(0) .. work(count - 1), some or all of them at the same time, and returns when all have
/// returned. Under the thread sanitizer the workers are threads of their own: it cannot see into TBB's
/// scheduler, and would have to be told to look away from all that runs under it.
void run_workers(std::size_t count, const std::function<void(std::size_t)>& work);

/// Counts the CPU time that other threads than its maker spend in run(). Its maker adds the sum to
/// helper_cpu_seconds() by destroying it, after all of them have returned.
class HelperMeter {
 public:
  HelperMeter() : maker_(std::this_thread::get_id()) {}
  ~HelperMeter();
  HelperMeter(const HelperMeter&) = delete;
  HelperMeter& operator=(const HelperMeter&) = delete;
  void run(const std::function<void(std::size_t)>& work, std::size_t which);

 private:
  std::thread::id maker_;
  std::atomic<std::int64_t> nanoseconds_{0};
};

/// CPU seconds that other threads have spent so far on launches which this thread made.
[[nodiscard]] double helper_cpu_seconds();

}  // namespace evo::evaluators::virtual_device
