// What a run has of a farm: its end of the queue, and who works through it. For session/farm_*.cpp alone.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <boost/json/object.hpp>

#include "farm/nats/clock.hpp"
#include "farm/nats/presence.hpp"
#include "farm/nats/queue.hpp"
#include "farm/nats/shelf.hpp"
#include "farm/rate.hpp"
#include "farm/runner.hpp"
#include "session/farm_build.hpp"
#include "session/farm_compile.hpp"
#include "session/farm_run.hpp"

namespace evo::session {

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
    if (compiles) all.audited += compiles->audited(), all.shared = compiles->shared();
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
                             {"shared", all.shared},
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
class OfCoordinator final : public evaluators::gates::JobRunner {
 public:
  OfCoordinator(std::shared_ptr<Coordinator> coordinator,
                std::shared_ptr<evaluators::gates::JobRunner> runner)
      : coordinator_(std::move(coordinator)), runner_(std::move(runner)) {}
  [[nodiscard]] evaluators::gates::DeviceResult run(const evaluators::gates::DeviceJob& job) override {
    return runner_->run(job);
  }
  [[nodiscard]] evaluators::devices::DeviceInfo info() const override { return runner_->info(); }

 private:
  std::shared_ptr<Coordinator> coordinator_;
  std::shared_ptr<evaluators::gates::JobRunner> runner_;
};

/// Tells a person where workers have nothing to do, since too few trials are under way.
void tell_of_idle_workers(int threads, int max_in_flight, const Tell& tell);

/// Has the run's device be GPUs of the farm's workers. `parts`: those of a machine without a GPU. Waits a
/// while for such a worker; throws model::Exception(environment) where none comes.
void take_gpus_of_workers(StackParts& parts, const std::shared_ptr<Coordinator>& coordinator,
                          const model::Experiment& experiment, const std::string& target,
                          const std::stop_token& stop, const Tell& tell);

}  // namespace evo::session
