#include "session/farm_run.hpp"

#include <fstream>
#include <memory>
#include <mutex>
#include <random>
#include <semaphore>
#include <utility>
#include <vector>

#include <unistd.h>

#include <fmt/format.h>

#include "config/target_profile.hpp"
#include "evaluators/gates/device_job.hpp"
#include "evaluators/gates/in_process_runner.hpp"
#include "model/error.hpp"
#include "model/gpu_names.hpp"
#include "session/farm_coordinator.hpp"

namespace evo::session {
namespace {

namespace fs = std::filesystem;
using evaluators::gates::DeviceJob;
using evaluators::gates::DeviceResult;
using evaluators::gates::JobRunner;

constexpr unsigned audit_every = 16;

/// Drawn once a run, and kept beside the ledger.
std::string run_name(const RunFolder& folder) {
  const fs::path file = folder.path / "farm";
  std::string name;
  if (std::ifstream in(file); in && std::getline(in, name) && farm::is_plain_name(name)) return name;
  std::random_device device;
  name = fmt::format("r{:08x}{:08x}", device(), device());
  write_file_atomically(file, name + "\n");
  return name;
}

void require_portable(const model::Experiment& experiment) {
  for (const model::OracleKind kind : model::oracle_kinds(experiment.problem)) {
    if (kind != model::OracleKind::command && kind != model::OracleKind::files) continue;
    throw model::Exception(
        model::ExitCode::invalid_configuration,
        fmt::format(
            "problem {}: its oracle is of the kind {}, which reads this machine's files: a farm's workers "
            "do not have them. Run it without --farm",
            experiment.problem.name, model::name_of(kind)));
  }
}

/// So many at a time.
class Bounded final : public JobRunner {
 public:
  Bounded(std::shared_ptr<JobRunner> inner, int most) : inner_(std::move(inner)), free_(most) {}
  [[nodiscard]] DeviceResult run(const DeviceJob& job) override {
    free_.acquire();
    const std::unique_ptr<std::counting_semaphore<>, void (*)(std::counting_semaphore<>*)> held(
        &free_, [](std::counting_semaphore<>* free) { free->release(); });
    return inner_->run(job);
  }
  [[nodiscard]] evaluators::devices::DeviceInfo info() const override { return inner_->info(); }

 private:
  std::shared_ptr<JobRunner> inner_;
  std::counting_semaphore<> free_;
};

farm::FarmRunnerOptions runner_options(std::shared_ptr<JobRunner> local, const std::string& target) {
  farm::FarmRunnerOptions options;
  options.target = target;
  options.device = local->info();
  options.build = farm_build(options.device);
  options.local = std::move(local);
  options.audit_every = audit_every;
  return options;
}

/// A person who has GPUs on a farm does not expect modelled latencies, nor that GPUs of another model stand
/// idle.
void tell_of_other_gpus(const farm::Crowd& crowd, const std::string& own, bool is_virtual, const Tell& tell) {
  std::string others;
  for (const auto& [line, threads] : crowd.threads) {
    const bool is_gpu = line != "virtual" && !line.starts_with("NVRTC_") && !line.ends_with("_compare");
    if (threads > 0 && is_gpu && line != own) others += (others.empty() ? "" : ", ") + line;
  }
  if (!tell || others.empty()) return;
  tell(fmt::format(
      "its workers of {} have nothing to do for this run, which {}", others,
      is_virtual ? "is on the virtual device: --device farm takes them" : "is on GPUs of another model"));
}

}  // namespace

void tell_of_idle_workers(int threads, int max_in_flight, const Tell& tell) {
  if (!tell || threads <= max_in_flight) return;
  tell(fmt::format(
      "its workers do {} jobs at a time, and search.window lets {} be under way: some have nothing "
      "to do (--set search.window={} makes another search)",
      threads, max_in_flight, threads));
}

OnFarm on_farm(StackParts parts, const FarmAddress& address, const model::Experiment& experiment,
               const RunFolder& folder, int threads, const std::stop_token& stop, const Tell& tell) {
  require_portable(experiment);
  farm::nats::Access access = farm::nats::access_of(address.url, address.token_file, address.ca_file);
  farm::CallsOptions options;
  options.run = run_name(folder);
  options.stop = stop;
  options.log = tell;
  access.name = "evo run " + options.run;
  farm::nats::Patience patience;
  patience.stop = stop;
  patience.log = tell;
  auto queue = farm::nats::NatsQueue::of_coordinator(access, std::move(patience));
  const auto coordinator = std::make_shared<Coordinator>(std::move(queue), std::move(options));
  const std::string target = config::profile_text(experiment.target);
  const bool is_virtual = parts.device == "virtual";
  if (parts.device == model::device_of_farm) {
    take_gpus_of_workers(parts, coordinator, experiment, target, stop, tell);
  } else {
    parts.runner = [coordinator, target, is_virtual, tell, threads, local = parts.runner,
                    max_in_flight = experiment.search.max_in_flight]() -> std::unique_ptr<JobRunner> {
      // For what the farm has no room, or nobody: not all that is under way at once.
      std::shared_ptr<JobRunner> own = local();
      if (is_virtual) own = std::make_shared<Bounded>(std::move(own), threads);
      farm::FarmRunnerOptions of_device = runner_options(std::move(own), target);
      of_device.patient = is_virtual;
      const auto runner = coordinator->add(std::move(of_device));
      const farm::Crowd crowd = coordinator->queue->crowd(coordinator->run);
      tell_of_idle_workers(crowd.threads_of(runner->line().name()), max_in_flight, tell);
      tell_of_other_gpus(crowd, runner->line().name(), is_virtual, tell);
      return std::make_unique<OfCoordinator>(coordinator, runner);
    };
  }
  parts.virtual_runner = [coordinator, target, threads, make = parts.virtual_device,
                          known = parts.known]() -> std::shared_ptr<JobRunner> {
    auto own = std::make_shared<evaluators::gates::InProcessRunner>(make, *known);
    farm::FarmRunnerOptions of_gates =
        runner_options(std::make_shared<Bounded>(std::move(own), threads), target);
    of_gates.patient = false;
    return std::make_shared<OfCoordinator>(coordinator, coordinator->add(std::move(of_gates)));
  };
  if (parts.compile_elsewhere && parts.own_compiler) {
    auto compiles = std::make_shared<FarmCompiles>(
        coordinator->calls, parts.own_compiler, audit_every,
        std::make_shared<farm::nats::NatsShelf>(coordinator->queue->jetstream()));
    {
      const std::scoped_lock lock(coordinator->mutex);  // its sign counts them, in a thread of its own
      coordinator->compiles = std::move(compiles);
    }
    // Its compiler would keep the coordinator, who keeps it.
    const std::weak_ptr weak(coordinator);
    parts.compile_elsewhere({[weak](const auto& request) {
                               const auto there = weak.lock();
                               return there ? there->compiles->compile(request) : std::nullopt;
                             },
                             [weak](const auto& request, const auto& result) {
                               if (const auto there = weak.lock())
                                 there->compiles->made_here(request, result);
                             }});
  }
  parts.search_is_over = [coordinator, elsewhere = parts.compile_elsewhere] {
    if (elsewhere) elsewhere({});
    coordinator->stay_here();
  };
  return {std::move(parts), [coordinator] { return coordinator->counts(); },
          [coordinator] { return coordinator->comparisons(); }};
}

}  // namespace evo::session
