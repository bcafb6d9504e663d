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
#include <boost/json/object.hpp>

#include "config/target_profile.hpp"
#include "evaluators/gates/device_job.hpp"
#include "evaluators/gates/in_process_runner.hpp"
#include "farm/nats/clock.hpp"
#include "farm/nats/presence.hpp"
#include "farm/nats/queue.hpp"
#include "farm/rate.hpp"
#include "farm/runner.hpp"
#include "model/error.hpp"
#include "session/farm_build.hpp"
#include "session/farm_compile.hpp"

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

/// Takes away what the run has left at the queue: jobs nobody will ask for.
struct Leaver {
  Leaver(farm::nats::NatsQueue& its_queue, std::string its_run) : queue(its_queue), run(std::move(its_run)) {}
  ~Leaver() {
    try {
      queue.leave(run);
    } catch (const std::exception&) {
      // The server is away: what was left there ends by its age.
    }
  }
  Leaver(const Leaver&) = delete;
  Leaver& operator=(const Leaver&) = delete;
  farm::nats::NatsQueue& queue;
  std::string run;
};

/// What a run has of a farm: first made, last gone is the connection.
struct Coordinator {
  Coordinator(std::unique_ptr<farm::nats::NatsQueue> its_queue, farm::CallsOptions options)
      : run(options.run),
        queue(std::move(its_queue)),
        leaver(*queue, run),
        calls(std::make_shared<farm::Calls>(std::move(options), *queue)),
        clock(queue->jetstream().connection(), run),
        presence(queue->jetstream().connection(), farm::nats::Party::run, run, [this] { return sign(); }) {}

  [[nodiscard]] FarmCounts counts() const {
    FarmCounts all;
    all.calls = calls->counts();
    const std::scoped_lock lock(mutex);
    for (const auto& runner : runners) {
      const farm::RunnerCounts own = runner->counts();
      all.local += own.local;
      all.here += own.here;
      all.audited += own.audited;
      all.set_aside += own.set_aside;
    }
    if (compiles) all.audited += compiles->audited();
    return all;
  }
  [[nodiscard]] int comparisons() const {
    int all = 0;
    const std::scoped_lock lock(mutex);
    for (const auto& runner : runners) all += runner->comparisons();
    return all;
  }
  [[nodiscard]] boost::json::object sign() {
    const FarmCounts all = counts();
    std::uint64_t share = 0;
    for (const auto& line : all.calls.share) share += line.second;
    boost::json::object said{{"host", farm_name()},
                             {"jobs", all.calls.jobs},
                             {"answered", all.calls.answered},
                             {"answered_a_minute", rate.note(all.calls.answered)},
                             {"refused", all.calls.refused()},
                             {"failed", all.calls.failed},
                             {"put_again", all.calls.put_again},
                             {"local", all.local},
                             {"here", all.here},
                             {"share", share}};
    if (all.calls.cost > 0) said["money"] = all.calls.cost;
    return said;
  }
  std::shared_ptr<farm::FarmRunner> add(farm::FarmRunnerOptions options) {
    auto runner = std::make_shared<farm::FarmRunner>(std::move(options), calls);
    const std::scoped_lock lock(mutex);
    runners.push_back(runner);
    return runner;
  }
  void stay_here() {
    const std::scoped_lock lock(mutex);
    for (const auto& runner : runners) runner->stay_here();
  }

  std::string run;
  std::unique_ptr<farm::nats::NatsQueue> queue;
  Leaver leaver;
  std::shared_ptr<farm::Calls> calls;
  mutable std::mutex mutex;
  std::vector<std::shared_ptr<farm::FarmRunner>> runners;
  std::shared_ptr<FarmCompiles> compiles;
  farm::Rate rate;  ///< of what workers answered, for sign() alone
  farm::nats::ClockService clock;
  farm::nats::Presence presence;
};

/// A runner that keeps the farm's connection as long as it lives.
class OfCoordinator final : public JobRunner {
 public:
  OfCoordinator(std::shared_ptr<Coordinator> coordinator, std::shared_ptr<JobRunner> runner)
      : coordinator_(std::move(coordinator)), runner_(std::move(runner)) {}
  [[nodiscard]] DeviceResult run(const DeviceJob& job) override { return runner_->run(job); }
  [[nodiscard]] evaluators::devices::DeviceInfo info() const override { return runner_->info(); }

 private:
  std::shared_ptr<Coordinator> coordinator_;
  std::shared_ptr<JobRunner> runner_;
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
  tell(fmt::format("its workers of {} have nothing to do for this run, which {}", others,
                   is_virtual
                       ? "is on the virtual device; a run on a GPU has one of its own: --device cuda:all"
                       : "is on GPUs of another model"));
}

void tell_of_idle_workers(int threads, int max_in_flight, const Tell& tell) {
  if (!tell || threads <= max_in_flight) return;
  tell(fmt::format(
      "its workers do {} jobs at a time, and search.window lets {} be under way: some have nothing "
      "to do (--set search.window={} makes another search)",
      threads, max_in_flight, threads));
}

}  // namespace

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

  parts.runner = [coordinator, target, is_virtual, tell, local = parts.runner,
                  max_in_flight = experiment.search.max_in_flight]() -> std::unique_ptr<JobRunner> {
    farm::FarmRunnerOptions of_device = runner_options(local(), target);
    of_device.patient = is_virtual;
    const auto runner = coordinator->add(std::move(of_device));
    const farm::Crowd crowd = coordinator->queue->crowd(coordinator->run);
    tell_of_idle_workers(crowd.threads_of(runner->line().name()), max_in_flight, tell);
    tell_of_other_gpus(crowd, runner->line().name(), is_virtual, tell);
    return std::make_unique<OfCoordinator>(coordinator, runner);
  };
  parts.virtual_runner = [coordinator, target, threads, make = parts.virtual_device,
                          known = parts.known]() -> std::shared_ptr<JobRunner> {
    auto own = std::make_shared<evaluators::gates::InProcessRunner>(make, *known);
    farm::FarmRunnerOptions of_gates =
        runner_options(std::make_shared<Bounded>(std::move(own), threads), target);
    of_gates.patient = false;
    return std::make_shared<OfCoordinator>(coordinator, coordinator->add(std::move(of_gates)));
  };
  if (parts.compile_elsewhere && parts.own_compiler) {
    auto compiles = std::make_shared<FarmCompiles>(coordinator->calls, parts.own_compiler, audit_every);
    {
      const std::scoped_lock lock(coordinator->mutex);  // its sign counts them, in a thread of its own
      coordinator->compiles = std::move(compiles);
    }
    // Its compiler would keep the coordinator, who keeps it.
    parts.compile_elsewhere([weak = std::weak_ptr(coordinator)](const auto& request) {
      const auto there = weak.lock();
      return there ? there->compiles->compile(request) : std::nullopt;
    });
  }
  parts.search_is_over = [coordinator, elsewhere = parts.compile_elsewhere] {
    if (elsewhere) elsewhere(nullptr);
    coordinator->stay_here();
  };
  return {std::move(parts), [coordinator] { return coordinator->counts(); },
          [coordinator] { return coordinator->comparisons(); }};
}

}  // namespace evo::session
