// What the gates of one device job share.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <optional>

#include "evaluators/devices/device.hpp"
#include "evaluators/gates/device_job.hpp"
#include "evaluators/gates/evidence.hpp"
#include "evaluators/gates/launch_budget.hpp"
#include "evaluators/oracle/compare.hpp"
#include "evaluators/oracle/conditioning.hpp"
#include "evaluators/oracle/reference_cache.hpp"

namespace evo::evaluators::gates {

struct JobContext {
  devices::Device& device;
  devices::ModuleId module = 0;
  const DeviceJob& job;
  oracle::ReferenceCache& cache;
  /// Behind it no check is begun.
  std::optional<std::chrono::steady_clock::time_point> until{};

  [[nodiscard]] bool time_is_up() const { return until && std::chrono::steady_clock::now() >= *until; }
  [[nodiscard]] bool on_virtual_device() const { return device.info().kind == "virtual"; }
  [[nodiscard]] std::shared_ptr<const oracle::ReferenceData> reference(const model::Case& bound,
                                                                       const model::InputSet& set,
                                                                       oracle::InputKey key,
                                                                       bool conditioned = false) const {
    return cache.get(
        job.oracle, bound, set, key, job.tolerance.reference_factor.has_value(),
        conditioned ? oracle::backward_error(job.tolerance, bound, set) : oracle::rounding_of_inputs(bound));
  }
  /// Shared memory as a launch on a real device is to find it: another pattern for every draw, in turn NaNs
  /// and large numbers of f16, bf16 and f32.
  [[nodiscard]] devices::Outcome<void> poison_shared(std::uint32_t draw, bool finite) const {
    devices::LaunchConditions* around = device.launch_conditions();
    if (around == nullptr) return {};
    constexpr std::array types{model::DType::f16, model::DType::bf16, model::DType::f32};
    return around->fill_shared(oracle::poison_pattern(types[draw % types.size()], draw, finite));
  }
  [[nodiscard]] devices::LaunchOptions launch_options(const model::Case& bound) const {
    devices::LaunchOptions options;
    options.checks = devices::CheckLevel::filtered;
    options.instruction_budget = launch_budget(job.settings, bound);
    options.timeout_ms = job.settings.launch_timeout_ms;
    options.equal_writes = !job.equal_writes.empty();
    return options;
  }
};

}  // namespace evo::evaluators::gates
