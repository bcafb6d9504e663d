#include "session/farm_worker.hpp"

#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <boost/json/object.hpp>

#include "farm/nats/presence.hpp"
#include "farm/nats/queue.hpp"
#include "model/error.hpp"
#include "session/farm_build.hpp"

namespace evo::session {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds job_wait{1000};
/// Jobs in a row without a result, after which this machine is no use to anybody.
constexpr int most_failures = 10;

/// What the threads of a worker share.
struct Crew {
  const FarmWorkerOptions& options;
  farm::WorkerOptions each;
  FarmBench bench{};
  std::stop_source leave{};
  std::atomic<std::uint64_t> taken{0}, answered{0}, failed{0}, malformed{0}, busy_ms{0};
  Clock::time_point began = Clock::now();
  std::atomic<int> failures_in_a_row{0};
  std::mutex mutex{};
  std::exception_ptr trouble{};

  void end_with(std::exception_ptr why) {
    const std::scoped_lock lock(mutex);
    if (!trouble) trouble = std::move(why);
    leave.request_stop();
  }

  /// One more job? Counts it.
  [[nodiscard]] bool may_take() { return options.jobs == 0 || taken.fetch_add(1) < options.jobs; }

  void note(const farm::ServedJob& served, const Tell& tell) {
    switch (served.how) {
      case farm::Served::nothing:
        break;
      case farm::Served::answered:
        ++answered;
        failures_in_a_row = 0;
        break;
      case farm::Served::failed:
        ++failed;
        tell(fmt::format("a job of run {} has no result: {}", served.run, served.why));
        if (++failures_in_a_row >= most_failures) {
          throw model::Exception(model::ExitCode::environment,
                                 fmt::format("{} jobs in a row had no result here, the last one because: {}",
                                             most_failures, served.why));
        }
        break;
      case farm::Served::malformed:
        ++malformed;
        tell("what is no job was taken off the queue: " + served.why);
        break;
      case farm::Served::refused:
        throw model::Exception(model::ExitCode::environment,
                               fmt::format("run {} refuses this worker: {}", served.run, served.why));
    }
  }

  [[nodiscard]] evaluators::gates::DeviceResult perform(const farm::JobMessage& job) {
    const auto start = Clock::now();
    auto result = bench.perform(job);
    busy_ms += static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - start).count());
    return result;
  }

  [[nodiscard]] boost::json::object sign() const {
    const double hours = std::chrono::duration<double, std::ratio<3600>>(Clock::now() - began).count();
    boost::json::object said{
        {"evo", each.build.evo},         {"toolchain", each.build.toolchain},
        {"device", each.build.device},   {"threads", options.threads},
        {"answered", answered.load()},   {"failed", failed.load()},
        {"malformed", malformed.load()}, {"busy_seconds", static_cast<double>(busy_ms.load()) / 1000}};
    if (options.price > 0) said["money"] = options.price * hours;
    return said;
  }

  void work(farm::Queue& queue, const Tell& tell) {
    auto last = Clock::now();
    while (!leave.stop_requested() && may_take()) {
      const farm::ServedJob served = farm::serve_job(
          queue, [this](const farm::JobMessage& job) { return perform(job); }, each, job_wait);
      note(served, tell);
      if (served.how != farm::Served::nothing) {
        last = Clock::now();
        continue;
      }
      if (options.jobs != 0) --taken;
      if (options.idle.count() > 0 && Clock::now() - last > options.idle) return;
    }
  }
};

}  // namespace

void serve_farm(const FarmWorkerOptions& options, const std::stop_token& stop, const Tell& tell) {
  Crew crew{options, {}};
  crew.each.name = farm_name();
  crew.each.build = farm_build();
  const std::stop_callback on_stop(stop, [&crew] { crew.leave.request_stop(); });
  farm::nats::Access access =
      farm::nats::access_of(options.farm.url, options.farm.token_file, options.farm.ca_file);
  access.name = "evo worker " + crew.each.name;
  access.wait = options.wait;
  access.stop = crew.leave.get_token();
  farm::nats::Patience patience;
  patience.longest = std::chrono::milliseconds(0);
  patience.stop = crew.leave.get_token();
  // A connection a thread: a request for a job waits on it.
  std::vector<std::unique_ptr<farm::nats::NatsQueue>> queues;
  for (int i = 0; i < options.threads; ++i) {
    patience.log = i == 0 ? tell : Tell();
    queues.push_back(farm::nats::NatsQueue::of_worker(access, patience));
  }
  const farm::nats::Presence presence(queues.front()->jetstream().connection(), farm::nats::Party::worker,
                                      crew.each.name, [&crew] { return crew.sign(); });
  tell(fmt::format("worker {} serves {} with {} thread{}", crew.each.name, options.farm.url, options.threads,
                   options.threads == 1 ? "" : "s"));
  {
    std::vector<std::jthread> threads;
    for (auto& queue : queues) {
      threads.emplace_back([&crew, &queue, &tell] {
        try {
          crew.work(*queue, tell);
        } catch (const model::Exception& error) {
          if (error.code() != model::ExitCode::interrupted) crew.end_with(std::current_exception());
        } catch (...) {
          crew.end_with(std::current_exception());
        }
      });
    }
  }
  if (crew.trouble) std::rethrow_exception(crew.trouble);
  tell(fmt::format("worker {} leaves after {} jobs", crew.each.name, crew.answered.load()));
}

}  // namespace evo::session
