// The looker at a run's queue: who is there to do its jobs, which jobs were lost, which nobody waits for.
#include <algorithm>

#include <fmt/format.h>

#include "farm/calls_state.hpp"

namespace evo::farm {
namespace {

/// Looks at which a job was neither answered nor queued, until it is put there again.
constexpr int looks_missed = 2;
/// Looks at which nobody was there to do what a run can only wait for, until it is said.
constexpr int looks_alone = 2;
/// Looks for jobs that nobody waits for, in the time of one for jobs that were lost.
constexpr int idle_looks = 4;

}  // namespace

void Calls::State::look(const std::stop_token& stop) {
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

void Calls::State::look_around() {
  Crowd now = queue.crowd(options.run);
  for (const std::string& line : note_crowd(std::move(now))) say(line);
}

std::vector<std::string> Calls::State::note_crowd(Crowd now) {
  std::vector<std::string> news;
  const std::scoped_lock lock(mutex);
  crowd = std::move(now);
  for (auto& [name, room] : rooms) {
    room.share = fair_share(crowd, name, room.ahead);
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

void Calls::State::look_after_jobs(bool for_lost_ones) {
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

void Calls::State::look_after_jobs_of(const std::string& line, bool for_lost_ones, bool all_taken) {
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
      }
    }
  }
  std::uint64_t put = 0;
  for (const Lost& job : lost) {
    // Without room there are enough others: a later look misses it again.
    if (!queue.offer_job(job.name, job.once, job.message)) break;
    ++put;
  }
  {
    const std::scoped_lock lock(mutex);
    counts.put_again += put;
  }
  forget_idle_jobs(line, queued);
}

void Calls::State::forget_idle_jobs(const std::string& line, std::set<std::string> queued) {
  {
    const std::scoped_lock lock(mutex);
    std::erase_if(queued, [this](const std::string& id) { return waiting.contains(id); });
    queued = rooms[line].idle.twice(std::move(queued));
  }
  for (const std::string& id : queued) queue.forget_job({options.run, id, line});
}

std::string Calls::State::once_of(const std::string& id, Waiting& entry) {
  return fmt::format("{}.{}.{}", id, entry.nonce, ++entry.puts);
}

}  // namespace evo::farm
