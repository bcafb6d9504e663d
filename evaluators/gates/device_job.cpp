#include "evaluators/gates/device_job.hpp"

#include "evaluators/gates/correctness.hpp"
#include "evaluators/gates/job_context.hpp"
#include "evaluators/gates/latency.hpp"
#include "evaluators/gates/stopwatch.hpp"

namespace evo::evaluators::gates {
namespace {

/// Unloads at the end, unless the device was lost with all it held.
class LoadedModule {
 public:
  LoadedModule(devices::Device& device, devices::ModuleId id) : device_(device), id_(id) {}
  ~LoadedModule() {
    if (!device_.lost()) device_.unload(id_);
  }
  LoadedModule(const LoadedModule&) = delete;
  LoadedModule& operator=(const LoadedModule&) = delete;

 private:
  devices::Device& device_;
  devices::ModuleId id_;
};

void run_gates(devices::Device& device, const DeviceJob& job, oracle::ReferenceCache& cache,
               DeviceResult& result) {
  const Stopwatch correctness_time;
  const auto module = device.load(job.artifact);
  if (!module) {
    result.gates.push_back({model::Gate::correctness, module.error(), correctness_time.milliseconds()});
    return;
  }
  const LoadedModule loaded(device, *module);
  const JobContext context{device, *module, job, cache};
  auto failure = check_correctness(context);
  result.gates.push_back({model::Gate::correctness, std::move(failure), correctness_time.milliseconds()});
  if (!result.gates.back().pass() || job.timed_cases.empty()) return;

  const Stopwatch latency_time;
  auto latencies = measure_latency(context);
  if (latencies) {
    result.latencies = std::move(*latencies);
    result.gates.push_back({model::Gate::latency, std::nullopt, latency_time.milliseconds()});
  } else {
    result.gates.push_back({model::Gate::latency, std::move(latencies.error()), latency_time.milliseconds()});
  }
}

}  // namespace

DeviceResult run_device_job(devices::Device& device, const DeviceJob& job, oracle::ReferenceCache& cache) {
  const Stopwatch total;
  DeviceResult result;
  run_gates(device, job, cache, result);
  result.device_seconds = total.milliseconds() / 1000;
  return result;
}

DeviceResult run_device_job(devices::Device& device, const DeviceJob& job) {
  oracle::ReferenceCache cache;
  return run_device_job(device, job, cache);
}

}  // namespace evo::evaluators::gates
