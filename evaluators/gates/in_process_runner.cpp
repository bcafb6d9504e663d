#include "evaluators/gates/in_process_runner.hpp"

namespace evo::evaluators::gates {

InProcessRunner::InProcessRunner(DeviceFactory factory, oracle::Catalogue known, std::int64_t cache_bytes)
    : pool_(std::move(factory)),
      cache_(std::move(known), cache_bytes),
      info_(pool_.borrow().device().info()) {}

DeviceResult InProcessRunner::run(const DeviceJob& job) {
  DevicePool::Lease lease = pool_.borrow();
  return run_device_job(lease.device(), job, cache_);
}

}  // namespace evo::evaluators::gates
