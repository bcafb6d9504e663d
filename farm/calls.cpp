#include "farm/calls.hpp"

#include <algorithm>
#include <bit>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <random>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "farm/answer.hpp"
#include "farm/seen_twice.hpp"
#include "farm/share.hpp"
#include "model/error.hpp"

namespace evo::farm {
namespace {

using Clock = std::chrono::steady_clock;

/// The end of a run waits for so long.
constexpr std::chrono::milliseconds result_wait{50};
/// Looks at which a job was neither answered nor queued, until it is put there again.
constexpr int looks_missed = 2;
/// Looks at which nobody was there to do what a run can only wait for, until it is said.
constexpr int looks_alone = 2;
/// Hashes of code that was sent, at most: sent again beyond that, rather than kept for ever.
constexpr std::size_t most_code_known = 8192;
/// Looks for jobs that nobody waits for, in the time of one for jobs that were lost.
constexpr int idle_looks = 4;

std::string draw_nonce() {
  std::random_device device;
  return fmt::format("{:08x}{:08x}{:08x}{:08x}", device(), device(), device(), device());
}

}  // namespace

struct Calls::State {
  /// Of a line: how many of its jobs may be in the queue, and how many are.
  struct Room {
    std::size_t share = 0, busy = 0;
    SeenTwice idle{};
    int alone = 0;                          ///< looks at which somebody waited and no worker was there
    std::condition_variable_any changed{};  ///< there may be some
    /// A worker that comes finds something where somebody waits for it.
    [[nodiscard]] bool has(bool patient) const {
      return busy < (patient ? std::max<std::size_t>(1, share) : share);
    }
  };
  struct Waiting {
    std::string nonce, message, line;
    std::function<tl::expected<std::any, std::string>(const std::string&)> read;  ///< Line::read
    int callers = 0;  ///< the same job may be asked for twice at once
    int puts = 0, missed = 0;
    bool impatient = false, given_up = false;
    Clock::time_point put{};
    Answer answer;
    /// Of its own: an answer wakes its callers, not those of all jobs.
    std::condition_variable_any changed;
  };

  State(CallsOptions its_options, Queue& its_queue) : options(std::move(its_options)), queue(its_queue) {}

  CallsOptions options;
  Queue& queue;
  mutable std::mutex mutex;
  std::map<std::string, Room> rooms;  ///< by line
  std::map<std::string, Waiting> waiting;
  std::set<std::string> code_sent;  ///< hashes
  CallCounts counts;
  Crowd crowd;                ///< at the last look
  std::uint64_t drained = 0;  ///< moments at which no result waited to be taken
  std::exception_ptr broken;
  std::uint64_t drained_before = 0;  ///< at the last look
  std::jthread reader, looker;

  void say(const std::string& line) const {
    if (options.log) options.log(line);
  }

  /// `turn` again and again, until it throws: then the queue is gone for good.
  template <class Task>
  void repeat(const std::stop_token& stop, const Task& task) {
    try {
      while (!stop.stop_requested()) task();
    } catch (...) {
      const std::scoped_lock lock(mutex);
      if (!broken) broken = std::current_exception();
      for (auto& room : rooms) room.second.changed.notify_all();
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
    int looks = 0;
    repeat(stop, [&] {
      std::unique_lock lock(sleeping);
      never.wait_for(lock, stop, options.look / idle_looks, [] { return false; });
      if (stop.stop_requested()) return;
      // What a dead worker or server has left of answered jobs goes sooner than what was lost comes again.
      look_after_jobs(++looks % idle_looks == 0);
      if (looks % idle_looks == 0) look_around();
    });
  }

  void look_around() {
    Crowd now = queue.crowd(options.run);
    for (const std::string& line : note_crowd(std::move(now))) say(line);
  }

  /// What is to be said of it.
  [[nodiscard]] std::vector<std::string> note_crowd(Crowd now) {
    std::vector<std::string> news;
    const std::scoped_lock lock(mutex);
    crowd = std::move(now);
    for (auto& [name, room] : rooms) {
      room.share = fair_share(crowd, name);
      counts.share[name] = room.share;
      room.changed.notify_all();
      const bool waits = std::ranges::any_of(waiting, [&line = name](const auto& entry) {
        return entry.second.line == line && !entry.second.impatient;
      });
      const int before = room.alone;
      room.alone = crowd.threads_of(name) == 0 && waits ? std::min(before + 1, looks_alone) : 0;
      if (room.alone == looks_alone && before < looks_alone)
        news.push_back(fmt::format(
            "waiting: no worker is there that does {} jobs; evo worker --farm URL starts one", name));
      if (room.alone == 0 && before == looks_alone && crowd.threads_of(name) > 0)
        news.push_back(fmt::format("a worker does {} jobs now", name));
    }
    for (auto& [id, entry] : waiting) {
      // Workers of another driver or compiler say that they are there, and give back what they take.
      const bool long_since = Clock::now() - entry.put > options.impatience;
      if (!entry.impatient || entry.given_up || (rooms[entry.line].share != 0 && !long_since)) continue;
      entry.given_up = true;
      ++counts.given_up;
      entry.changed.notify_all();
    }
    return news;
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
  void look_after_jobs(bool for_lost_ones) {
    bool all_taken = false;  // what the queue does not have may be answered by a result that was not taken
    std::vector<std::string> lines;
    {
      const std::scoped_lock lock(mutex);
      for (const auto& room : rooms) lines.push_back(room.first);
      all_taken = for_lost_ones && drained != drained_before;
      if (for_lost_ones) drained_before = drained;
    }
    for (const std::string& line : lines) look_after_jobs_of(line, for_lost_ones, all_taken);
  }

  void look_after_jobs_of(const std::string& line, bool for_lost_ones, bool all_taken) {
    const std::set<std::string> queued = queue.jobs_of(options.run, line);
    if (!for_lost_ones) return forget_idle_jobs(line, queued);
    struct Lost {
      JobName name;
      std::string once, message;
    };
    std::vector<Lost> lost;
    {
      const std::scoped_lock lock(mutex);
      for (auto& [id, entry] : waiting) {
        // Not yet put, or put by a caller that is still at it.
        if (entry.line != line || entry.puts == 0 || entry.answer.has()) continue;
        if (queued.contains(id)) {
          entry.missed = 0;
        } else if (all_taken && ++entry.missed >= looks_missed) {
          entry.missed = 0;
          lost.push_back({{options.run, id, line}, once_of(id, entry), entry.message});
          ++counts.put_again;
        }
      }
    }
    for (const Lost& job : lost) queue.put_job(job.name, job.once, job.message);
    forget_idle_jobs(line, queued);
  }

  /// Jobs that the queue has at two looks though nobody waits for them: it did not note that they were done.
  void forget_idle_jobs(const std::string& line, std::set<std::string> queued) {
    {
      const std::scoped_lock lock(mutex);
      std::erase_if(queued, [this](const std::string& id) { return waiting.contains(id); });
      queued = rooms[line].idle.twice(std::move(queued));
    }
    for (const std::string& id : queued) queue.forget_job({options.run, id, line});
  }

  static std::string once_of(const std::string& id, Waiting& entry) {
    return fmt::format("{}.{}.{}", id, entry.nonce, ++entry.puts);
  }

  /// Why it is refused; empty: it is not.
  [[nodiscard]] std::string accept(const Delivery& delivery) {
    const auto message = result_from(delivery.bytes);
    tl::expected<Answer, std::string> answer = tl::unexpected(std::string("nobody waits"));
    // Read before it is known to be waited for, so that nobody waits for the lock meanwhile.
    if (message) answer = read_answer(*message);
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
    Waiting& entry = found->second;
    if (message->nonce != entry.nonce) {
      ++counts.forged;
      return "its sender does not hold job " + message->id;
    }
    if (!answer) {
      ++counts.malformed;
      return answer.error();
    }
    // No worker was at it for longer than it was waited for, whatever it says.
    const double waited = std::chrono::duration<double>(Clock::now() - entry.put).count();
    answer->cost = message->price * std::min(message->seconds, waited) / 3600;
    if (answer->cost <= 0) answer->priced = false;
    counts.cost += answer->cost;
    ++(answer->error.empty() ? counts.answered : answer->code_missing ? counts.code_missing : counts.failed);
    if (answer->error.empty()) ++counts.of_line[entry.line];
    entry.answer = std::move(*answer);
    entry.changed.notify_all();
    return {};
  }

  /// How an answer is read says who waits for it.
  [[nodiscard]] tl::expected<Answer, std::string> read_answer(const ResultMessage& message) const {
    std::function<tl::expected<std::any, std::string>(const std::string&)> read;
    {
      const std::scoped_lock lock(mutex);
      const auto found = waiting.find(message.id);
      if (found == waiting.end() || found->second.nonce != message.nonce)
        return tl::unexpected(std::string("nobody waits"));
      read = found->second.read;
    }
    return answer_of(message, read);
  }

  /// Until `reached`, or a stop where the line knows one.
  template <class Reached>
  void await(const Line& line, std::condition_variable_any& changed, std::unique_lock<std::mutex>& lock,
             const Reached& reached) {
    if (line.until_stop)
      changed.wait(lock, options.stop, reached);
    else
      changed.wait(lock, reached);
  }

  Room& room_of(const Line& line) {
    const std::string name = line.name();
    const auto [found, fresh] = rooms.try_emplace(name);
    Room& room = found->second;
    if (fresh) {
      room.share = fair_share(crowd, name);
      counts.share[name] = room.share;
    }
    return room;
  }

  /// Puts the job, once there is room for it and unless it is there already; waits for its answer, or for the
  /// end of the run or the queue.
  [[nodiscard]] Answer ask(const Line& line, JobMessage message, const std::vector<Code>& code) {
    if (line.patient) send_code(code);  // while others have the room
    std::unique_lock lock(mutex);
    Room& room = room_of(line);
    const auto may_put = [&] {
      const auto same = waiting.find(message.id);
      // One that has its answer is over: it is another job, once those who asked have taken it.
      if (same != waiting.end())
        return broken != nullptr || !(same->second.answer.has() || same->second.given_up);
      return broken != nullptr || room.has(line.patient);
    };
    if (!line.patient && !may_put()) return {};
    await(line, room.changed, lock, may_put);
    if (line.until_stop && options.stop.stop_requested()) return {};
    if (broken) std::rethrow_exception(broken);
    Waiting& entry = waiting[message.id];
    if (entry.callers++ == 0) {
      ++room.busy;
      if (room.has(line.patient)) room.changed.notify_one();  // for the next one, too
      entry.line = line.name();
      entry.read = line.read;
      entry.impatient = !line.patient;
      entry.put = Clock::now();
      try {
        // A job that was answered before and is asked for again is another one to the queue.
        entry.nonce = message.nonce = draw_nonce();
        entry.message = encode(message);
        const std::string bytes = entry.message;
        const std::string once = fmt::format("{}.{}.0", message.id, entry.nonce);
        ++counts.jobs;
        lock.unlock();
        send_code(code);
        queue.put_job({message.run, message.id, entry.line}, once, bytes);
        lock.lock();
        entry.puts = 1;
      } catch (...) {
        if (!lock.owns_lock()) lock.lock();
        entry.answer.error = "the job could not be sent";
        entry.changed.notify_all();
        leave(message.id, entry, room);
        throw;
      }
    }
    await(line, entry.changed, lock,
          [&] { return entry.answer.has() || entry.given_up || broken != nullptr; });
    Answer answer = entry.callers == 1 ? std::move(entry.answer) : entry.answer;
    const bool given_up = entry.given_up;
    leave(message.id, entry, room);
    if (!answer.has() && !given_up && broken) std::rethrow_exception(broken);
    return answer;
  }

  /// What was not sent before.
  void send_code(const std::vector<Code>& code) {
    for (const Code& text : code) {
      {
        const std::scoped_lock lock(mutex);
        if (code_sent.contains(text.hash)) continue;
      }
      queue.put_code(text.hash, text.bytes);
      const std::scoped_lock lock(mutex);
      if (code_sent.size() >= most_code_known) code_sent.clear();
      if (code_sent.insert(text.hash).second) ++counts.code;
    }
  }

  /// The last caller of a job leaves room for another.
  void leave(const std::string& id, Waiting& entry, Room& room) {
    if (--entry.callers != 0) return;
    waiting.erase(id);
    --room.busy;
    room.changed.notify_one();
  }
};

namespace {

JobMessage message_of(const std::string& run, const Line& line, const std::string& body) {
  JobMessage message;
  message.run = run;
  message.build = line.build;
  message.target = line.target;
  message.body = body;
  message.id = job_id(message.run, message.target, message.body);
  return message;
}

}  // namespace

Calls::Calls(CallsOptions options, Queue& queue)
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

Calls::~Calls() {
  state_->reader.request_stop();
  state_->looker.request_stop();
  state_->reader.join();
  state_->looker.join();
}

Answer Calls::ask(const Line& line, const std::string& body, const std::vector<Code>& code) {
  JobMessage message = message_of(state_->options.run, line, body);
  for (const Code& text : code) message.code.push_back(text.hash);
  Answer answer = state_->ask(line, message, code);
  if (!answer.code_missing || code.empty()) return answer;
  {
    const std::scoped_lock lock(state_->mutex);
    for (const Code& text : code) state_->code_sent.erase(text.hash);
  }
  return state_->ask(line, message, code);
}

bool Calls::fits(const Line& line, const std::string& body) const {
  return farm::fits(message_of(state_->options.run, line, body));
}

CallCounts Calls::counts() const {
  const std::scoped_lock lock(state_->mutex);
  return state_->counts;
}

std::size_t Calls::share_of(const Line& line) const {
  const std::scoped_lock lock(state_->mutex);
  const std::size_t share = fair_share(state_->crowd, line.name());
  return line.patient ? std::max<std::size_t>(1, share) : share;
}

void Calls::say(const std::string& line) const {
  state_->say(line);
}

}  // namespace evo::farm
