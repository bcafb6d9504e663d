// Port of runners that know when a device has nothing to do. Real: worker::DeviceWorkerPool.
#pragma once

#include <optional>

#include "evaluators/gates/device_job.hpp"

namespace evo::evaluators::gates {

class IdleRunner {
 public:
  virtual ~IdleRunner() = default;
  /// Runs the job where a device stands idle and nobody waits for one; nullopt at once where none does. A job
  /// that is no comparison holds a device for long, and is begun only where others can go on beside it.
  /// Thread-safe. Throws as JobRunner::run().
  [[nodiscard]] virtual std::optional<DeviceResult> run_if_idle(const DeviceJob& job) = 0;
};

}  // namespace evo::evaluators::gates
