// Whether a worker's clocks keep the time of those it works for.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <string>

namespace evo::farm {

/// Seconds.
struct Clocks {
  double wall = 0;    ///< since 1970
  double steady = 0;  ///< of a clock that nobody sets
};
using ReadClocks = std::function<Clocks()>;
[[nodiscard]] Clocks read_clocks();

/// A question and its answer: theirs were read at a moment between the asker's two readings.
struct ClockExchange {
  std::string whose;  ///< clocks of different owners are not compared with each other
  Clocks asked, theirs, answered;
};

/// A lease ends by the server's clock, and its heartbeats come by the worker's. So a worker's steady clock
/// has to run: two heartbeats within a lease, of which one may be lost; and by as much it may be too fast,
/// since what it says a job took is paid. What it is set to matters to its certificates and its logs alone.
struct ClockBounds {
  std::chrono::duration<double> heartbeat = std::chrono::seconds(2);
  std::chrono::duration<double> lease = std::chrono::seconds(6);
  /// Two exchanges that are nearer to each other say nothing of a rate.
  std::chrono::duration<double> least = std::chrono::seconds(2);
  [[nodiscard]] double slowest() const { return 2 * heartbeat / lease; }
  [[nodiscard]] double fastest() const { return 1 / slowest(); }
};

/// Judges by what must be so, however long messages took: no slow network makes a clock wrong.
class ClockWatch {
 public:
  explicit ClockWatch(ClockBounds bounds = {}) : bounds_(bounds) {}

  struct Finding {
    std::string refused{};  ///< why; empty: it is not
    std::string warning{};  ///< once
  };
  /// A rate is refused when two intervals in a row show it: a machine that stood still is in one.
  [[nodiscard]] Finding note(const ClockExchange& exchange);
  /// What the asker's clock was set ahead of theirs at the last exchange, in seconds, within half its round
  /// trip.
  [[nodiscard]] double ahead() const { return ahead_; }

 private:
  struct Known {
    ClockExchange last;
    int slow = 0, fast = 0;  ///< intervals in a row
  };
  ClockBounds bounds_;
  std::map<std::string, Known> known_{};
  double ahead_ = 0;
  bool warned_ = false;
};

}  // namespace evo::farm
