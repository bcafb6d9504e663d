#include "session/farm_worker.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "farm/gpu.hpp"
#include "farm/nats/clock.hpp"
#include "farm/nats/presence.hpp"
#include "farm/nats/queue.hpp"
#include "farm/nats/streams.hpp"
#include "farm/rate.hpp"
#include "model/error.hpp"
#include "session/farm_build.hpp"

namespace evo::session {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds job_wait{1000};
/// Between two looks for a job to have ready: longer and longer, since a job that takes long leaves time.
constexpr std::chrono::milliseconds shortest_pause{2}, longest_pause{250};
/// Jobs in a row without a result, after which this machine is no use to anybody.
constexpr int most_failures = 10;

/// What the threads of a worker share.
struct Crew {
  Crew(const FarmWorkerOptions& its_options, const FarmPosts& its_posts)
      : options(its_options),
        posts(its_posts),
        name(farm_name()),
        turn(static_cast<std::uint64_t>(std::max(its_posts.threads, 1))) {}

  const FarmWorkerOptions& options;
  const FarmPosts& posts;
  const std::string name;
  farm::TicketLock turn;  ///< a place for each job that may be done at a time
  farm::CodeCache code{};
  std::stop_source leave{};
  std::atomic<std::uint64_t> taken{0}, answered{0}, failed{0}, malformed{0}, busy_ms{0};
  Clock::time_point began = Clock::now();
  std::atomic<Clock::rep> last_job{Clock::now().time_since_epoch().count()};
  std::atomic<int> failures_in_a_row{0}, at_work{0};
  std::mutex mutex{};
  std::exception_ptr trouble{};
  const farm::nats::ClockCheck* clock = nullptr;
  farm::Rate rate{};  ///< of `answered`, for sign() alone

  void end_with(std::exception_ptr why) {
    const std::scoped_lock lock(mutex);
    if (!trouble) trouble = std::move(why);
    leave.request_stop();
  }

  void hear(const farm::ClockWatch::Finding& finding, const Tell& tell) {
    if (!finding.warning.empty()) tell(finding.warning);
    if (finding.refused.empty()) return;
    end_with(std::make_exception_ptr(
        model::Exception(model::ExitCode::environment, "this worker is refused: " + finding.refused)));
  }

  /// One more job? Counts it.
  [[nodiscard]] bool may_take() {
    if (options.jobs == 0) return true;
    if (taken.fetch_add(1) < options.jobs) return true;
    --taken;
    return false;
  }
  /// All jobs that it was to do are done.
  [[nodiscard]] bool has_done_its_jobs() const {
    return options.jobs != 0 && answered + failed + malformed >= options.jobs;
  }

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
      case farm::Served::no_code:
        ++failed;
        tell(fmt::format("a job of run {} is asked for again: {}", served.run, served.why));
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

  [[nodiscard]] std::string perform(const FarmPost& post, const farm::JobMessage& job,
                                    const farm::FindCode& find) {
    const auto start = Clock::now();
    std::string result = post.perform(job, find);
    busy_ms += static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - start).count());
    return result;
  }

  [[nodiscard]] boost::json::object sign() {
    const double hours = std::chrono::duration<double, std::ratio<3600>>(Clock::now() - began).count();
    boost::json::object lines;
    std::string devices;
    boost::json::array gpus;
    for (const FarmPost& post : posts.all) {
      if (post.gpu) gpus.push_back(farm::to_json({post.build, *post.gpu, name, posts.threads}));
      lines[farm::line_of(post.build.device)] = posts.threads;
      if (post.comparisons > 0) lines[farm::comparisons_line_of(post.build.device)] = post.comparisons;
      devices += (devices.empty() ? "" : ", ") + post.build.device;
    }
    const farm::Build& build = posts.all.front().build;
    boost::json::object said{{"evo", build.evo},
                             {"toolchain", build.toolchain},
                             {"device", devices},
                             {"threads", posts.threads},
                             {"lines", std::move(lines)},
                             {"answered", answered.load()},
                             {"answered_a_minute", rate.note(answered)},
                             {"failed", failed.load()},
                             {"malformed", malformed.load()},
                             {"busy_seconds", static_cast<double>(busy_ms.load()) / 1000}};
    if (!gpus.empty()) said["gpus"] = std::move(gpus);
    if (const auto ahead = clock->ahead()) said["clock_ahead_s"] = std::round(*ahead * 1000) / 1000;
    if (options.price > 0) said["price"] = options.price, said["money"] = options.price * hours;
    return said;
  }

  /// `first`: a comparison in turn, whose turn comes before that of other jobs.
  [[nodiscard]] farm::ServedJob serve_one(farm::Queue& queue, const FarmPost& post, bool first,
                                          std::chrono::milliseconds wait) {
    farm::WorkerOptions each;
    each.name = name;
    each.build = post.build;
    each.price = options.price / posts.threads;
    each.stop = leave.get_token();
    each.turn = &turn;
    each.first = first;
    each.code = &code;
    return farm::serve_job(
        queue,
        [&](const farm::JobMessage& job, const farm::FindCode& find) {
          std::string body = perform(post, job, find);
          last_job = Clock::now().time_since_epoch().count();
          return body;
        },
        each, wait);
  }

  /// Holds one more job with its code while all threads are busy: the ways to the server and back take none
  /// of their time. Whichever thread is free first does it. Only what no worker waits for is taken.
  void stand_by(farm::Queue& queue, const FarmPost& post, const Tell& tell) {
    auto pause = shortest_pause;
    std::optional<std::uint64_t> whose;
    while (!leave.stop_requested() && at_work != 0) {
      const auto now = turn.taken_within(job_wait / 10);
      if (!now) continue;
      if (now != whose) pause = shortest_pause;
      whose = now;
      const farm::ServedJob served = serve_one(queue, post, false, std::chrono::milliseconds(0));
      note(served, tell);
      if (served.how != farm::Served::nothing) {
        last_job = Clock::now().time_since_epoch().count();
        continue;
      }
      std::this_thread::sleep_for(pause);
      pause = std::min(2 * pause, longest_pause);
    }
  }

  void work(farm::Queue& queue, const FarmPost& post, bool first, const Tell& tell) {
    while (!leave.stop_requested() && !has_done_its_jobs()) {
      if (!may_take()) {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));  // the last ones are under way
        continue;
      }
      const farm::ServedJob served = serve_one(queue, post, first, job_wait);
      note(served, tell);
      if (served.how != farm::Served::nothing) {
        last_job = Clock::now().time_since_epoch().count();
        continue;
      }
      if (options.jobs != 0) {
        --taken;
        // Long enough for a seat of another line, which looks every 20 ms, to get it.
        std::this_thread::sleep_for(std::chrono::milliseconds(60));
      }
      const Clock::duration idle = Clock::now().time_since_epoch() - Clock::duration(last_job.load());
      if (options.idle.count() > 0 && idle > options.idle && !turn.in_use()) return;
    }
  }
};

}  // namespace

void serve_farm(const FarmWorkerOptions& options, const std::stop_token& stop, const Tell& tell) {
  serve_farm(options,
             options.device.empty() ? posts_without_gpu(options.threads, tell)
                                    : posts_of_gpus(options.device, options.threads, tell),
             stop, tell);
}

void serve_farm(const FarmWorkerOptions& options, const FarmPosts& posts, const std::stop_token& stop,
                const Tell& tell) {
  Crew crew(options, posts);
  const std::stop_callback on_stop(stop, [&crew] { crew.leave.request_stop(); });
  farm::nats::Access access =
      farm::nats::access_of(options.farm.url, options.farm.token_file, options.farm.ca_file);
  access.name = "evo worker " + crew.name;
  access.wait = options.wait;
  access.stop = crew.leave.get_token();
  farm::nats::Patience patience;
  patience.longest = std::chrono::milliseconds(0);
  patience.stop = crew.leave.get_token();
  struct Seat {
    const FarmPost& post;
    bool comparisons;
    std::unique_ptr<farm::nats::NatsQueue> queue;  ///< of its own: a request for a job waits on it
  };
  std::vector<Seat> seats;
  const auto add_seat = [&](const FarmPost& post, bool comparisons) {
    const std::string& device = post.build.device;
    patience.log = seats.empty() ? tell : Tell();
    seats.push_back(
        {post, comparisons,
         farm::nats::NatsQueue::of_worker(
             access, patience, comparisons ? farm::comparisons_line_of(device) : farm::line_of(device))});
  };
  for (int thread = 0; thread < std::max(posts.threads, 1); ++thread) {
    for (const FarmPost& post : posts.all) add_seat(post, false);
  }
  // Beside the others: one is held while all threads are busy, and is the next to be done.
  for (const FarmPost& post : posts.all) {
    for (int comparison = 0; comparison < post.comparisons; ++comparison) add_seat(post, true);
  }
  // Who counts jobs takes none before its time.
  std::unique_ptr<farm::nats::NatsQueue> of_the_one_standing_by;
  if (options.jobs == 0) {
    patience.log = {};
    of_the_one_standing_by =
        farm::nats::NatsQueue::of_worker(access, patience, farm::line_of(posts.all.front().build.device));
  }
  farm::ClockBounds bounds;
  bounds.heartbeat = farm::WorkerOptions{}.heartbeat;
  bounds.lease = farm::nats::lease_time;
  bounds.least = options.clock_every / 2;
  const farm::nats::ClockCheck clock(
      seats.front().queue->jetstream().connection(), options.clocks, options.clock_every, bounds,
      [&](const farm::ClockWatch::Finding& finding) { crew.hear(finding, tell); });
  crew.clock = &clock;
  const farm::nats::Presence presence(seats.front().queue->jetstream().connection(),
                                      farm::nats::Party::worker, crew.name, [&crew] { return crew.sign(); });
  std::string devices;
  for (const FarmPost& post : posts.all) devices += (devices.empty() ? "" : ", ") + post.build.device;
  tell(fmt::format("worker {} serves {} with {} thread{}: {}", crew.name, options.farm.url, posts.threads,
                   posts.threads == 1 ? "" : "s", devices));
  {
    std::vector<std::jthread> threads;
    crew.at_work = static_cast<int>(seats.size());
    const auto start = [&](auto work) {
      threads.emplace_back([&crew, work] {
        try {
          work();
        } catch (const model::Exception& error) {
          if (error.code() != model::ExitCode::interrupted) crew.end_with(std::current_exception());
        } catch (...) {
          crew.end_with(std::current_exception());
        }
      });
    };
    for (Seat& seat : seats) {
      start([&] {
        const std::unique_ptr<std::atomic<int>, void (*)(std::atomic<int>*)> there(
            &crew.at_work, [](std::atomic<int>* at_work) { --*at_work; });
        crew.work(*seat.queue, seat.post, seat.comparisons, tell);
      });
    }
    if (of_the_one_standing_by)
      start([&] { crew.stand_by(*of_the_one_standing_by, posts.all.front(), tell); });
  }
  {
    const std::scoped_lock lock(crew.mutex);  // the watch on the clock lives on
    if (crew.trouble) std::rethrow_exception(crew.trouble);
  }
  tell(fmt::format("worker {} leaves after {} jobs", crew.name, crew.answered.load()));
}

}  // namespace evo::session
