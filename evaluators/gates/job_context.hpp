// What the gates of one device job share.
#pragma once

#include <memory>

#include "evaluators/devices/device.hpp"
#include "evaluators/gates/device_job.hpp"
#include "evaluators/gates/evidence.hpp"
#include "evaluators/oracle/reference_cache.hpp"

namespace evo::evaluators::gates {

struct JobContext {
  devices::Device& device;
  devices::ModuleId module = 0;
  const DeviceJob& job;
  oracle::ReferenceCache& cache;

  [[nodiscard]] bool on_virtual_device() const { return device.info().kind == "virtual"; }
  [[nodiscard]] std::shared_ptr<const oracle::ReferenceData> reference(const model::Case& bound,
                                                                       const model::InputSet& set,
                                                                       oracle::InputKey key) const {
    return cache.get(job.oracle, bound, set, key);
  }
  [[nodiscard]] devices::LaunchOptions launch_options() const {
    devices::LaunchOptions options;
    options.checks = devices::CheckLevel::filtered;
    options.instruction_budget = job.settings.instruction_budget;
    options.timeout_ms = job.settings.launch_timeout_ms;
    return options;
  }
};

}  // namespace evo::evaluators::gates
