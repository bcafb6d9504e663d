// What Calls knows of its jobs while they are out, and who looks after them: those that ask, a reader of
// results and a looker at the queue, each a thread of its own.
#pragma once

#include <algorithm>
#include <any>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "farm/calls.hpp"
#include "farm/seen_twice.hpp"
#include "farm/share.hpp"

namespace evo::farm {

struct Calls::State {
  using Clock = std::chrono::steady_clock;

  /// Of a line: how many of its jobs may be in the queue, and how many are.
  struct Room {
    std::size_t share = 0, busy = 0;
    int ahead = 2;  ///< Line::ahead()
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

  /// `task` again and again, until it throws: then the queue is gone for good.
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

  // calls.cpp: a caller, until it has its answer
  /// Puts the job, once there is room for it and unless it is there already; waits for its answer, or for the
  /// end of the run or the queue.
  [[nodiscard]] Answer ask(const Line& line, JobMessage message, const std::vector<Code>& code);
  /// What was not sent before.
  void send_code(const std::vector<Code>& code);
  /// The last caller of a job leaves room for another.
  void leave(const std::string& id, Waiting& entry, Room& room);
  Room& room_of(const Line& line);
  /// Until `reached`, or a stop where the line knows one.
  template <class Reached>
  void await(const Line& line, std::condition_variable_any& changed, std::unique_lock<std::mutex>& lock,
             const Reached& reached) {
    if (line.until_stop)
      changed.wait(lock, options.stop, reached);
    else
      changed.wait(lock, reached);
  }

  // calls_results.cpp: the reader
  void read(const std::stop_token& stop);
  /// Why it is refused; empty: it is not.
  [[nodiscard]] std::string accept(const Delivery& delivery);
  /// How an answer is read says who waits for it.
  [[nodiscard]] tl::expected<Answer, std::string> read_answer(const ResultMessage& message) const;
  /// Whoever sends rubbish may send much of it.
  void tell_refused(const std::string& what) const;

  // calls_looks.cpp: the looker
  /// Beside the reader: looks are ways to the server and back, which no result should wait for.
  void look(const std::stop_token& stop);
  void look_around();
  /// What is to be said of it.
  [[nodiscard]] std::vector<std::string> note_crowd(Crowd now);
  /// Puts jobs again that the queue does not have: it lost its memory, or somebody took them off.
  void look_after_jobs(bool for_lost_ones);
  void look_after_jobs_of(const std::string& line, bool for_lost_ones, bool all_taken);
  /// Jobs that the queue has at two looks though nobody waits for them: it did not note that they were done.
  void forget_idle_jobs(const std::string& line, std::set<std::string> queued);
  /// What the queue knows a putting of the job by: it takes each once.
  static std::string once_of(const std::string& id, Waiting& entry);
};

}  // namespace evo::farm
