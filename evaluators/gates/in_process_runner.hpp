// Runs device jobs in this process: for the virtual device.
#pragma once

#include <chrono>
#include <optional>

#include "evaluators/gates/device_job.hpp"
#include "evaluators/gates/device_pool.hpp"
#include "evaluators/oracle/reference_cache.hpp"

namespace evo::evaluators::gates {

/// Thread-safe: each concurrent job has a device of its own; inputs and references are shared.
class InProcessRunner final : public JobRunner {
 public:
  /// `limit`: of a job's correctness gate, see run_device_job().
  InProcessRunner(DeviceFactory factory, oracle::Catalogue known,
                  std::int64_t cache_bytes = std::int64_t{512} << 20,
                  std::optional<std::chrono::duration<double>> limit = std::nullopt);

  [[nodiscard]] DeviceResult run(const DeviceJob& job) override;
  [[nodiscard]] devices::DeviceInfo info() const override { return info_; }

 private:
  DevicePool pool_;
  oracle::ReferenceCache cache_;
  devices::DeviceInfo info_;
  std::optional<std::chrono::duration<double>> limit_;
};

}  // namespace evo::evaluators::gates
