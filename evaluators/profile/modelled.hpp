// Counters of the virtual device: counted launches of the PTX, and the latency model's shares.
#pragma once

#include <cstdint>

#include "evaluators/devices/device.hpp"
#include "evaluators/devices/virtual/model/latency_model.hpp"
#include "evaluators/gates/profiler.hpp"
#include "evaluators/oracle/catalogue.hpp"
#include "model/target.hpp"

namespace evo::evaluators::profile {

/// The counters of one kernel. Shares are of the model's time without the launch; instructions are PTX's.
[[nodiscard]] std::map<std::string, double, std::less<>> counters_of(
    const devices::LaunchCounts& counts, const virtual_device::ModelledLatency& modelled,
    const model::ResourceUsage& resources, const model::LaunchPlan& plan, const model::TargetProfile& target);

/// Registers, spills and static shared memory, as the compiler reports them.
void add_resources(const model::ResourceUsage& resources, std::map<std::string, double, std::less<>>& values);

/// On inputs that are the same in every run. A plan of several kernels has the counts of all together, and no
/// shares: the model is of one launch.
class ModelledProfiler final : public gates::Profiler {
 public:
  /// `most_instructions`: of the threads of one launch; what takes more is not counted.
  ModelledProfiler(model::TargetProfile target, oracle::Catalogue known, std::uint64_t most_instructions);
  [[nodiscard]] model::CounterBasis basis() const override { return model::CounterBasis::modelled; }
  [[nodiscard]] gates::Profiled profile(const gates::DeviceJob& job) override;

 private:
  model::TargetProfile target_;
  oracle::Catalogue known_;
  std::uint64_t most_instructions_;
};

}  // namespace evo::evaluators::profile
