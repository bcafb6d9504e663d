#include "session/farm_run.hpp"

#include <algorithm>
#include <fstream>
#include <mutex>
#include <random>
#include <utility>

#include <unistd.h>

#include <fmt/format.h>
#include <boost/json/object.hpp>

#include "config/target_profile.hpp"
#include "evaluators/gates/device_job.hpp"
#include "farm/nats/presence.hpp"
#include "farm/nats/queue.hpp"
#include "model/error.hpp"
#include "session/farm_build.hpp"

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

void require_portable(const model::Experiment& experiment, const std::string& device) {
  const auto refuse = [](const std::string& text) {
    throw model::Exception(model::ExitCode::invalid_configuration, text);
  };
  if (device != "virtual")
    refuse(fmt::format("a farm's workers have the virtual device, not {}: --device virtual", device));
  for (const model::OracleKind kind : model::oracle_kinds(experiment.problem)) {
    if (kind == model::OracleKind::command || kind == model::OracleKind::files) {
      refuse(fmt::format(
          "problem {}: its oracle is of the kind {}, which reads this machine's files: a farm's workers "
          "do not have them. Run it without --farm",
          experiment.problem.name, model::name_of(kind)));
    }
  }
}

/// What a run has of a farm: first made, last gone is the connection.
struct Coordinator {
  Coordinator(std::unique_ptr<farm::nats::NatsQueue> its_queue, farm::FarmRunnerOptions options)
      : run(options.run),
        queue(std::move(its_queue)),
        runner(std::move(options), *queue),
        presence(queue->jetstream().connection(), farm::nats::Party::run, run, [this] { return sign(); }) {}

  [[nodiscard]] boost::json::object sign() const {
    const farm::FarmCounts counts = runner.counts();
    return {{"host", farm_name()},         {"jobs", counts.jobs},     {"answered", counts.answered},
            {"refused", counts.refused()}, {"failed", counts.failed}, {"put_again", counts.put_again},
            {"local", counts.local},       {"share", counts.share}};
  }

  std::string run;
  std::unique_ptr<farm::nats::NatsQueue> queue;
  farm::FarmRunner runner;
  farm::nats::Presence presence;
};

/// The runner of a stack. What is left in the farm goes with it: jobs nobody will ask for.
class OfCoordinator final : public JobRunner {
 public:
  explicit OfCoordinator(std::shared_ptr<Coordinator> coordinator) : coordinator_(std::move(coordinator)) {}
  ~OfCoordinator() override {
    try {
      coordinator_->queue->leave(coordinator_->run);
    } catch (const std::exception&) {
      // The server is away: what was left there ends by its age.
    }
  }
  OfCoordinator(const OfCoordinator&) = delete;
  OfCoordinator& operator=(const OfCoordinator&) = delete;

  [[nodiscard]] DeviceResult run(const DeviceJob& job) override { return coordinator_->runner.run(job); }
  [[nodiscard]] evaluators::devices::DeviceInfo info() const override { return coordinator_->runner.info(); }

 private:
  std::shared_ptr<Coordinator> coordinator_;
};

}  // namespace

OnFarm on_farm(StackParts parts, const FarmAddress& address, const model::Experiment& experiment,
               const RunFolder& folder, const std::stop_token& stop, const Tell& tell) {
  require_portable(experiment, parts.device);
  farm::nats::Access access = farm::nats::access_of(address.url, address.token_file, address.ca_file);
  const std::string name = run_name(folder);
  access.name = "evo run " + name;
  farm::nats::Patience patience;
  patience.stop = stop;
  patience.log = tell;
  auto queue = std::make_shared<std::unique_ptr<farm::nats::NatsQueue>>(
      farm::nats::NatsQueue::of_coordinator(access, std::move(patience)));

  auto made = std::make_shared<std::shared_ptr<Coordinator>>();
  parts.runner = [queue, made, local = parts.runner, stop, tell, name, window = experiment.search.window,
                  target = config::profile_text(experiment.target)]() -> std::unique_ptr<JobRunner> {
    farm::FarmRunnerOptions options;
    options.run = name;
    options.build = farm_build();
    options.target = target;
    options.local = local();
    options.device = options.local->info();
    options.audit_every = audit_every;
    options.stop = stop;
    options.log = tell;
    *made = std::make_shared<Coordinator>(std::move(*queue), std::move(options));
    if (const int threads = (*made)->queue->crowd(name).threads; tell && threads > window) {
      tell(fmt::format(
          "its workers do {} jobs at a time, and search.window lets {} be under way: some have nothing "
          "to do (--set search.window={} makes another search)",
          threads, window, threads));
    }
    return std::make_unique<OfCoordinator>(*made);
  };
  return {std::move(parts), [made] { return *made ? (*made)->runner.counts() : farm::FarmCounts{}; }};
}

}  // namespace evo::session
