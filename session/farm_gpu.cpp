#include "session/farm_gpu.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <thread>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "evaluators/gates/in_process_runner.hpp"
#include "evaluators/gates/roofline.hpp"
#include "model/error.hpp"
#include "session/device_choice.hpp"
#include "session/farm_build.hpp"
#include "session/farm_coordinator.hpp"

namespace evo::session {

namespace gates = evaluators::gates;
using evaluators::gates::DeviceJob;
using evaluators::gates::JobRunner;
using farm::Gpu;

namespace {

/// Why a run cannot have it; empty: it can.
std::string objection(const Gpu& gpu, const model::Experiment& experiment) {
  if (arch_number(gpu.info.arch) < arch_number(experiment.target.arch))
    return fmt::format("{}, older than the target {} ({})", gpu.info.arch, experiment.target.name,
                       experiment.target.arch);
  return farm::difference(gpu.build, farm_build(gpu.info));
}

}  // namespace

tl::expected<Gpu, std::string> choose_farm_gpu(const std::vector<Gpu>& all,
                                               const model::Experiment& experiment) {
  struct Kind {
    Gpu gpu;
    bool of_target = false;
    int threads = 0;
  };
  // Alike in all that counts: model, driver, architecture, L2.
  std::map<std::tuple<std::string, std::string, std::string, std::int64_t>, Kind> kinds;
  std::string left_out;
  for (const Gpu& gpu : all) {
    if (const std::string why = objection(gpu, experiment); !why.empty()) {
      left_out +=
          fmt::format("{}{} of worker {} ({})", left_out.empty() ? "" : "; ", gpu.info.name, gpu.worker, why);
      continue;
    }
    Kind& kind = kinds[{gpu.info.name, gpu.info.driver, gpu.info.arch, gpu.info.l2_bytes}];
    const model::TargetProfile* profile = gates::profile_of_device(experiment.known_targets, gpu.info.name);
    kind.gpu = gpu;
    kind.of_target = profile != nullptr && profile->name == experiment.target.name;
    kind.threads += gpu.threads;
  }
  if (kinds.empty()) {
    return tl::make_unexpected(
        left_out.empty()
            ? "no worker of the farm has a GPU: evo worker --farm URL --device cuda:all, where there is one"
            : "no GPU of the farm's workers will do: " + left_out);
  }
  const auto best = std::ranges::max_element(
      kinds, {}, [](const auto& entry) { return std::pair(entry.second.of_target, entry.second.threads); });
  return best->second.gpu;
}

namespace {

/// What its workers say: a worker that has just come, or a server that has, takes a while to be known.
farm::Gpu wait_for_gpu(farm::nats::Jetstream& jetstream, const model::Experiment& experiment,
                       const std::stop_token& stop, const Tell& tell) {
  constexpr std::chrono::milliseconds longest{10'000}, look{500};
  for (auto waited = std::chrono::milliseconds(0);; waited += look) {
    auto found = choose_farm_gpu(farm::nats::gpus_of(jetstream), experiment);
    if (found) return *found;
    if (waited >= longest || stop.stop_requested())
      throw model::Exception(model::ExitCode::environment, found.error());
    if (waited.count() == 0 && tell) tell(found.error() + "; waiting for one");
    std::this_thread::sleep_for(look);
  }
}

}  // namespace

void take_gpus_of_workers(StackParts& parts, const std::shared_ptr<Coordinator>& coordinator,
                          const model::Experiment& experiment, const std::string& target,
                          const std::stop_token& stop, const Tell& tell) {
  const farm::Gpu gpu = wait_for_gpu(coordinator->queue->jetstream(), experiment, stop, tell);
  if (tell)
    tell(fmt::format("measuring on {}, driver {}, of its workers, under the limits of {}", gpu.info.name,
                     gpu.info.driver, experiment.target.name));
  farm::FarmRunnerOptions options;
  options.target = target;
  options.device = gpu.info;
  options.build = gpu.build;
  options.asks_again = 2;
  const std::shared_ptr<JobRunner> there = coordinator->add(std::move(options));
  parts.runner = [there, tell, coordinator, max_in_flight = experiment.search.max_in_flight, gpu] {
    const farm::Crowd crowd = coordinator->queue->crowd(coordinator->run);
    tell_of_idle_workers(crowd.threads_of(farm::line_of(gpu.build.device)), max_in_flight, tell);
    return std::make_unique<OfCoordinator>(coordinator, there);
  };
  parts.fresh_runner = [coordinator, there] { return std::make_unique<OfCoordinator>(coordinator, there); };
  // No worker can make a kernel a champion that the virtual device finds wrong.
  std::optional<std::chrono::duration<double>> limit;
  if (experiment.gates.virtual_proof_s > 0) limit.emplace(experiment.gates.virtual_proof_s);
  parts.prover_here = [make = parts.virtual_device, known = parts.known, limit] {
    return std::make_unique<evaluators::gates::InProcessRunner>(make, *known, std::int64_t{512} << 20, limit);
  };
  parts.watch = [](const DeviceJob&, std::chrono::milliseconds, const std::stop_token&) {
    evaluators::sanitizer::Report report;
    report.reason = "this machine has no GPU";
    return report;
  };
  parts.gpu_look = {};
  parts.comparators = {};
  parts.profiler = {};
}

}  // namespace evo::session
