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

#include "farm/answer.hpp"
#include "farm/seen_twice.hpp"
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
    Answer answer;
    /// Of its own: an answer wakes its callers, not those of all jobs.
    std::condition_variable_any changed;
  };

  State(FarmRunnerOptions its_options, Queue& its_queue)
      : options(std::move(its_options)), queue(its_queue) {}

  FarmRunnerOptions options;
  Queue& queue;
  mutable std::mutex mutex;
  std::condition_variable_any room;  ///< there may be some
  std::map<std::string, Waiting> waiting;
  FarmCounts counts;
  std::size_t share = 1;
  std::uint64_t drained = 0;  ///< moments at which no result waited to be taken
  std::exception_ptr broken;
  std::uint64_t drained_before = 0;  ///< at the last look
  SeenTwice idle;
  std::jthread reader, looker;

  void say(const std::string& line) const {
    if (options.log) options.log(line);
  }

  /// `turn` again and again, until it throws: then the queue is gone for good.
  template <class Turn>
  void repeat(const std::stop_token& stop, const Turn& turn) {
    try {
      while (!stop.stop_requested()) turn();
    } catch (...) {
      const std::scoped_lock lock(mutex);
      if (!broken) broken = std::current_exception();
      room.notify_all();
      for (auto& entry : waiting) entry.second.changed.notify_all();
    }
  }

  void read(const std::stop_token& stop) {
    repeat(stop, [this] {
      const auto delivery = queue.take_result(options.run, result_wait);
      if (delivery) {
        const std::string refused = accept(*delivery);
        queue.done(delivery->lease);
        if (!refused.empty()) tell_refused(refused);
      }
      if (delivery && delivery->behind != 0) return;
      const std::scoped_lock lock(mutex);
      ++drained;
    });
  }

  /// Beside the reader: looks are ways to the server and back, which no result should wait for.
  void look(const std::stop_token& stop) {
    std::mutex sleeping;
    std::condition_variable_any never;
    repeat(stop, [&] {
      std::unique_lock lock(sleeping);
      never.wait_for(lock, stop, options.look, [] { return false; });
      if (stop.stop_requested()) return;
      look_after_jobs();
      look_around();
    });
  }

  void look_around() {
    const std::size_t fair = fair_share(queue.crowd(options.run));
    const std::scoped_lock lock(mutex);
    share = fair;
    counts.share = fair;
    room.notify_all();
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
    bool all_taken = false;  // what the queue does not have may be answered by a result that was not taken
    {
      const std::scoped_lock lock(mutex);
      if (waiting.empty()) return;
      all_taken = drained != drained_before;
      drained_before = drained;
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
        if (entry.puts == 0 || entry.answer.has()) continue;
        if (queued.contains(id)) {
          entry.missed = 0;
        } else if (all_taken && ++entry.missed >= looks_missed) {
          entry.missed = 0;
          lost.push_back({{options.run, id}, once_of(id, entry), entry.message});
          ++counts.put_again;
        }
      }
    }
    for (const Lost& job : lost) queue.put_job(job.name, job.once, job.message);
    forget_idle_jobs(queued);
  }

  /// Jobs that the queue has at two looks though nobody waits for them: it did not note that they were done.
  void forget_idle_jobs(std::set<std::string> queued) {
    {
      const std::scoped_lock lock(mutex);
      std::erase_if(queued, [this](const std::string& id) { return waiting.contains(id); });
    }
    for (const std::string& id : idle.twice(std::move(queued))) queue.forget_job({options.run, id});
  }

  static std::string once_of(const std::string& id, Waiting& entry) {
    return fmt::format("{}.{}.{}", id, entry.nonce, ++entry.puts);
  }

  /// Why it is refused; empty: it is not.
  [[nodiscard]] std::string accept(const Delivery& delivery) {
    const auto message = result_from(delivery.bytes);
    // Read before it is known to be waited for, so that nobody waits for the lock meanwhile.
    auto answer = message ? answer_of(*message) : tl::unexpected(message.error());
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
    if (found == waiting.end() || found->second.answer.has()) {
      // The queue counts how often it lends something; no sender has a say in that.
      if (delivery.times > 1) {
        ++counts.repeated;
        return {};
      }
      ++counts.not_waited;
      return "nobody waits for job " + message->id;
    }
    if (message->nonce != found->second.nonce) {
      ++counts.forged;
      return "its sender does not hold job " + message->id;
    }
    if (!answer) {
      ++counts.malformed;
      return answer.error();
    }
    ++(answer->result ? counts.answered : counts.failed);
    found->second.answer = std::move(*answer);
    found->second.changed.notify_all();
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
  void await(std::condition_variable_any& changed, std::unique_lock<std::mutex>& lock,
             const Reached& reached) {
    if (options.local)
      changed.wait(lock, options.stop, reached);
    else
      changed.wait(lock, reached);
  }

  /// Puts the job, once there is room for it and unless it is there already; waits for its answer, or for the
  /// end of the run or the queue.
  [[nodiscard]] Answer ask(const JobMessage& asked) {
    JobMessage message = asked;
    std::unique_lock lock(mutex);
    await(room, lock,
          [&] { return broken != nullptr || waiting.contains(message.id) || waiting.size() < share; });
    if (options.local && options.stop.stop_requested()) return {};
    if (broken) std::rethrow_exception(broken);
    Waiting& entry = waiting[message.id];
    if (waiting.size() < share) room.notify_one();  // for the next one, too
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
        entry.answer.error = "the job could not be sent";
        entry.changed.notify_all();
        leave(message.id, entry);
        throw;
      }
    }
    await(entry.changed, lock, [&] { return entry.answer.has() || broken != nullptr; });
    Answer answer = entry.callers == 1 ? std::move(entry.answer) : entry.answer;
    leave(message.id, entry);
    if (!answer.has() && broken) std::rethrow_exception(broken);
    return answer;
  }

  /// The last caller of a job leaves room for another.
  void leave(const std::string& id, Waiting& entry) {
    if (--entry.callers != 0) return;
    waiting.erase(id);
    room.notify_one();
  }

  void audit(const DeviceJob& job, const Answer& answer) {
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
  state_->looker = std::jthread([state = state_.get()](const std::stop_token& stop) { state->look(stop); });
}

FarmRunner::~FarmRunner() {
  state_->reader.request_stop();
  state_->looker.request_stop();
  state_->reader.join();
  state_->looker.join();
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
  const Answer answer = state_->ask(message);
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
