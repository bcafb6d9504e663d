// How a worker asks a run what time it is. The run answers on `evo.clock`, {"run", "wall", "steady"}.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "farm/clock.hpp"
#include "farm/nats/connection.hpp"

namespace evo::farm::nats {

/// The first word of the subjects of a worker's answers.
inline constexpr const char* worker_inbox = "_EVO_WORKER";
/// Those of one user, by the name that the server knows; "": where it asks nobody.
[[nodiscard]] std::string worker_answers(const std::string& user);

/// Answers from a thread of its own until it is destroyed. The connection must outlive it.
class ClockService {
 public:
  ClockService(Connection& connection, const std::string& run, ReadClocks read = read_clocks);

 private:
  std::jthread thread_;
};

/// Of any run that is there. Nullopt: none answers.
[[nodiscard]] std::optional<ClockExchange> ask_clock(Connection& connection, const ReadClocks& read);

/// Asks again and again from a thread of its own until it is destroyed. The connection must outlive it.
class ClockCheck {
 public:
  /// `heard` gets each finding that says something.
  ClockCheck(Connection& connection, ReadClocks read, std::chrono::milliseconds every, ClockBounds bounds,
             std::function<void(const ClockWatch::Finding&)> heard);
  /// ClockWatch::ahead; nullopt: no run has answered yet.
  [[nodiscard]] std::optional<double> ahead() const;

 private:
  mutable std::mutex mutex_;
  std::condition_variable_any wake_;
  std::optional<double> ahead_;
  std::jthread thread_;
};

}  // namespace evo::farm::nats
