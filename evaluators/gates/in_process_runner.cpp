#include "evaluators/gates/in_process_runner.hpp"

namespace evo::evaluators::gates {

InProcessRunner::InProcessRunner(DeviceFactory factory, oracle::Catalogue known, std::int64_t cache_bytes,
                                 std::optional<std::chrono::duration<double>> limit)
    : pool_(std::move(factory)),
      cache_(std::move(known), cache_bytes),
      info_(pool_.borrow().device().info()),
      limit_(limit) {}

DeviceResult InProcessRunner::run(const DeviceJob& job) {
  DevicePool::Lease lease = pool_.borrow();
  using Clock = std::chrono::steady_clock;
  std::optional<Clock::time_point> until;
  if (limit_) until = Clock::now() + std::chrono::duration_cast<Clock::duration>(*limit_);
  return run_device_job(lease.device(), job, cache_, until);
}

}  // namespace evo::evaluators::gates
