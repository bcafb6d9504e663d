#include "farm/runner.hpp"

#include <bit>
#include <condition_variable>
#include <exception>
#include <map>
#include <mutex>
#include <optional>
#include <random>
#include <set>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include "farm/share.hpp"
#include "model/error.hpp"

namespace evo::farm {
namespace {

using Clock = std::chrono::steady_clock;
using evaluators::gates::DeviceJob;
using evaluators::gates::DeviceResult;

constexpr std::chrono::milliseconds result_wait{250};
/// Looks at which a job was neither answered nor queued, until it is put there again.
constexpr int looks_missed = 2;

std::string draw_nonce() {
  std::random_device device;
  return fmt::format("{:08x}{:08x}{:08x}{:08x}", device(), device(), device(), device());
}

/// By the coordinator's own draw: no worker can know which of its results are looked at.
bool is_audited(unsigned every) {
  return every != 0 && std::random_device()() % every == 0;
}

}  // namespace

struct FarmRunner::State {
  struct Waiting {
    std::string nonce, message;
    int callers = 0;  ///< the same job may be asked for twice at once
    int puts = 0, missed = 0;
    std::string worker;
    std::optional<DeviceResult> result;
    std::string error;
    [[nodiscard]] bool answered() const { return result || !error.empty(); }
  };

  State(FarmRunnerOptions its_options, Queue& its_queue)
      : options(std::move(its_options)), queue(its_queue) {}

  FarmRunnerOptions options;
  Queue& queue;
  mutable std::mutex mutex;
  std::condition_variable_any changed;
  std::map<std::string, Waiting> waiting;
  FarmCounts counts;
  std::size_t share = 1;
  std::exception_ptr broken;
  std::jthread reader;

  void say(const std::string& line) const {
    if (options.log) options.log(line);
  }

  void read(const std::stop_token& stop) {
    auto looked = Clock::now();
    while (!stop.stop_requested()) {
      try {
        if (const auto delivery = queue.take_result(options.run, result_wait)) {
          const std::string refused = accept(delivery->bytes);
          queue.done(delivery->lease);
          if (!refused.empty()) tell_refused(refused);
        }
        if (Clock::now() - looked < options.look) continue;
        look_after_jobs();
        look_around();
        looked = Clock::now();
      } catch (...) {
        const std::scoped_lock lock(mutex);
        broken = std::current_exception();
        changed.notify_all();
        return;
      }
    }
  }

  void look_around() {
    const std::size_t fair = fair_share(queue.crowd(options.run));
    const std::scoped_lock lock(mutex);
    share = fair;
    counts.share = fair;
    changed.notify_all();
  }

  /// Whoever sends rubbish may send much of it.
  void tell_refused(const std::string& what) const {
    std::uint64_t number = 0;
    {
      const std::scoped_lock lock(mutex);
      number = counts.refused();
    }
    if (number <= 20 || std::has_single_bit(number))
      say(fmt::format("a result is refused, the {}. of this run: {}", number, said(what)));
  }

  /// Puts jobs again that the queue does not have: it lost its memory, or somebody took them off.
  void look_after_jobs() {
    {
      const std::scoped_lock lock(mutex);
      if (waiting.empty()) return;
    }
    const std::set<std::string> queued = queue.jobs_of(options.run);
    struct Lost {
      JobName name;
      std::string once, message;
    };
    std::vector<Lost> lost;
    {
      const std::scoped_lock lock(mutex);
      for (auto& [id, entry] : waiting) {
        // Not yet put, or put by a caller that is still at it.
        if (entry.puts == 0 || entry.answered()) continue;
        if (queued.contains(id)) {
          entry.missed = 0;
        } else if (++entry.missed >= looks_missed) {
          entry.missed = 0;
          lost.push_back({{options.run, id}, once_of(id, entry), entry.message});
          ++counts.put_again;
        }
      }
    }
    for (const Lost& job : lost) queue.put_job(job.name, job.once, job.message);
  }

  static std::string once_of(const std::string& id, Waiting& entry) {
    return fmt::format("{}.{}.{}", id, entry.nonce, ++entry.puts);
  }

  /// Why it is refused; empty: it is not.
  [[nodiscard]] std::string accept(const std::string& bytes) {
    const auto message = result_from(bytes);
    const std::scoped_lock lock(mutex);
    if (!message) {
      ++counts.malformed;
      return message.error();
    }
    if (message->run != options.run) {
      ++counts.other_run;
      return "it says that it is of run " + message->run;
    }
    const auto found = waiting.find(message->id);
    if (found == waiting.end() || found->second.answered()) {
      ++counts.not_waited;
      return "nobody waits for job " + message->id;
    }
    if (message->nonce != found->second.nonce) {
      ++counts.forged;
      return "its sender does not hold job " + message->id;
    }
    if (message->error.empty()) {
      try {
        DeviceResult result = evaluators::gates::device_result_from_json(message->body);
        if (result.gates.empty()) throw std::runtime_error("no gate");
        found->second.result = std::move(result);
        ++counts.answered;
      } catch (const std::exception& error) {
        ++counts.malformed;
        return fmt::format("its body is no result: {}", error.what());
      }
    } else {
      found->second.error = fmt::format("worker {}: {}", said(message->worker), said(message->error));
      ++counts.failed;
    }
    found->second.worker = said(message->worker);
    changed.notify_all();
    return {};
  }

  [[nodiscard]] DeviceResult run_here(const DeviceJob& job) {
    {
      const std::scoped_lock lock(mutex);
      ++counts.local;
    }
    return options.local->run(job);
  }

  /// Until `reached`, or a stop where the job can be run here.
  template <class Reached>
  void await(std::unique_lock<std::mutex>& lock, const Reached& reached) {
    if (options.local)
      changed.wait(lock, options.stop, reached);
    else
      changed.wait(lock, reached);
  }

  /// Puts the job, once there is room for it and unless it is there already; waits for its answer, or for the
  /// end of the run or the queue.
  [[nodiscard]] Waiting ask(const JobMessage& asked) {
    JobMessage message = asked;
    std::unique_lock lock(mutex);
    await(lock, [&] { return broken != nullptr || waiting.contains(message.id) || waiting.size() < share; });
    if (options.local && options.stop.stop_requested()) return {};
    if (broken) std::rethrow_exception(broken);
    Waiting& entry = waiting[message.id];
    if (entry.callers++ == 0) {
      try {
        // A job that was answered before and is asked for again is another one to the queue.
        entry.nonce = message.nonce = draw_nonce();
        entry.message = encode(message);
        const std::string bytes = entry.message;
        const std::string once = fmt::format("{}.{}.0", message.id, entry.nonce);
        ++counts.jobs;
        lock.unlock();
        queue.put_job({message.run, message.id}, once, bytes);
        lock.lock();
        entry.puts = 1;
      } catch (...) {
        if (!lock.owns_lock()) lock.lock();
        if (--entry.callers == 0)
          waiting.erase(message.id);
        else
          entry.error = "the job could not be sent";
        changed.notify_all();
        throw;
      }
    }
    await(lock, [&] { return entry.answered() || broken != nullptr; });
    Waiting answer = entry;
    if (--entry.callers == 0) {
      waiting.erase(message.id);
      changed.notify_all();
    }
    if (!answer.answered() && broken) std::rethrow_exception(broken);
    return answer;
  }

  void audit(const DeviceJob& job, const Waiting& answer) {
    if (!options.local || !is_audited(options.audit_every)) return;
    if (!same_verdict(*answer.result, options.local->run(job))) {
      throw model::Exception(
          model::ExitCode::environment,
          fmt::format(
              "the worker {} sent a result that this process does not find when it runs the same job: "
              "one of the two is broken or lies. Its earlier results are in the ledger: do not resume "
              "this run",
              answer.worker));
    }
    const std::scoped_lock lock(mutex);
    ++counts.audited;
  }
};

FarmRunner::FarmRunner(FarmRunnerOptions options, Queue& queue)
    : state_(std::make_unique<State>(std::move(options), queue)) {
  const std::string& run = state_->options.run;
  if (!is_plain_name(run))
    throw model::Exception(
        model::ExitCode::usage,
        fmt::format("'{}' names no run of a farm: 1 to 64 letters, digits, '-' and '_'", run));
  queue.clear(run);
  state_->look_around();
  state_->reader = std::jthread([state = state_.get()](const std::stop_token& stop) { state->read(stop); });
}

FarmRunner::~FarmRunner() {
  state_->reader.request_stop();
  state_->reader.join();
}

DeviceResult FarmRunner::run(const DeviceJob& job) {
  const bool has_local = state_->options.local != nullptr;
  JobMessage message;
  message.run = state_->options.run;
  message.build = state_->options.build;
  message.target = state_->options.target;
  message.body = evaluators::gates::to_json(job);
  message.id = job_id(message.run, message.target, message.body);
  if (has_local && (!fits(message) || state_->options.stop.stop_requested())) return state_->run_here(job);
  const State::Waiting answer = state_->ask(message);
  if (answer.result) {
    state_->audit(job, answer);
    return *answer.result;
  }
  if (!has_local) throw model::Exception(model::ExitCode::environment, answer.error);
  // What a worker cannot do may be that worker's trouble; what this process cannot do either ends the run.
  if (!answer.error.empty()) state_->say(answer.error + "; the job is run here");
  return state_->run_here(job);
}

evaluators::devices::DeviceInfo FarmRunner::info() const {
  return state_->options.device;
}

FarmCounts FarmRunner::counts() const {
  const std::scoped_lock lock(state_->mutex);
  return state_->counts;
}

}  // namespace evo::farm
