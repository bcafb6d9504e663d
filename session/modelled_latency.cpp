#include "session/modelled_latency.hpp"

#include <utility>

#include <fmt/format.h>

#include "evaluators/devices/virtual/model/latency_model.hpp"
#include "evaluators/devices/virtual/virtual_device.hpp"
#include "evaluators/gates/case_buffers.hpp"
#include "evaluators/gates/gate_times.hpp"
#include "evaluators/gates/loaded_module.hpp"
#include "evaluators/oracle/input_sets.hpp"
#include "model/error.hpp"

namespace evo::session {
namespace {

namespace gates = evaluators::gates;
namespace devices = evaluators::devices;

class VirtualLatencyModel final : public evaluators::LatencyModel {
 public:
  VirtualLatencyModel(const gates::Ladder& ladder, const model::TargetProfile& target,
                      evaluators::oracle::Catalogue known)
      : ladder_(ladder),
        target_(target),
        known_(std::move(known)),
        pool_([target] { return std::make_unique<devices::VirtualDevice>(target); }) {}

  [[nodiscard]] std::string name() const override {
    return fmt::format("{} of {}", evaluators::virtual_device::latency_model_name, target_.name);
  }

  [[nodiscard]] evaluators::Modelled latency_of(const evaluators::Prepared& prepared) override {
    gates::DevicePool::Lease lease = pool_.borrow();
    const double helpers = lease.device().usage().helper_cpu_seconds;
    const double begun = gates::thread_cpu_seconds();
    evaluators::Modelled modelled;
    const auto latencies = time_all(lease.device(), ladder_.launches_to_profile(prepared));
    if (latencies) {
      modelled.microseconds = model::combine(*latencies).microseconds;
    } else {
      explain(latencies.error(), modelled);
    }
    modelled.cpu_seconds =
        gates::thread_cpu_seconds() - begun + lease.device().usage().helper_cpu_seconds - helpers;
    return modelled;
  }

 private:
  [[nodiscard]] devices::Outcome<std::vector<model::WorkloadLatency>> time_all(
      devices::Device& device, const gates::DeviceJob& job) const {
    const auto module = device.load(job.artifact);
    if (!module) return tl::make_unexpected(module.error());
    const gates::LoadedModule loaded(device, *module);
    std::vector<model::WorkloadLatency> latencies;
    for (const model::Case& bound : job.cases) {
      auto latency = time_one(device, *module, bound, job.input_sets.front());
      if (!latency) return tl::make_unexpected(latency.error());
      latencies.push_back({bound.name, bound.weight, std::move(*latency)});
    }
    return latencies;
  }

  [[nodiscard]] devices::Outcome<model::Latency> time_one(devices::Device& device, devices::ModuleId module,
                                                          const model::Case& bound,
                                                          const model::InputSet& set) const {
    // Seed, rotation and poison of the virtual device's latency gate.
    const auto inputs = evaluators::oracle::make_inputs(known_, bound, set, {.seed = 1, .rotation = 1});
    if (!inputs) throw model::Exception(model::ExitCode::invalid_configuration, inputs.error().text());
    auto buffers = gates::CaseBuffers::create(device, bound, gates::as_allocated);
    if (!buffers) return tl::make_unexpected(buffers.error());
    if (auto done = buffers->write_inputs(*inputs); !done) return tl::make_unexpected(done.error());
    if (auto done = buffers->poison(1, false); !done) return tl::make_unexpected(done.error());
    const auto given = buffers->arguments();
    const std::vector<std::vector<devices::KernelArgument>> arguments{{given.begin(), given.end()}};
    const auto timing = device.time(module, bound.launch, arguments, {});
    if (!timing) return tl::make_unexpected(timing.error());
    model::Latency latency;
    latency.microseconds = timing->samples_us.front();
    latency.method = timing->method;
    return latency;
  }

  /// What the machine does not run, or not to its end, is no failure of the candidate.
  static void explain(const model::Failure& failure, evaluators::Modelled& modelled) {
    if (failure.status == model::Status::unsupported || failure.reason == "hang") {
      modelled.why = failure.evidence.empty() ? failure.reason : failure.evidence.front().message;
    } else {
      modelled.failed = fmt::format("{} ({})", model::name_of(failure.status), failure.reason);
    }
  }

  const gates::Ladder& ladder_;
  model::TargetProfile target_;
  evaluators::oracle::Catalogue known_;
  gates::DevicePool pool_;
};

}  // namespace

std::unique_ptr<evaluators::LatencyModel> make_latency_model(const gates::Ladder& ladder,
                                                             const model::TargetProfile& target,
                                                             evaluators::oracle::Catalogue known) {
  return std::make_unique<VirtualLatencyModel>(ladder, target, std::move(known));
}

}  // namespace evo::session
