// What a command is at, on stderr, where nothing else was said for some seconds: no command is silent for
// long.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "terminal/common_options.hpp"

namespace evo::terminal {

/// Thread-safe. Says nothing of phases that end soon.
class Waiting {
 public:
  using Clock = std::chrono::steady_clock;
  using Say = std::function<void(const std::string&)>;
  /// A line of this kind comes after so long a silence.
  static constexpr std::chrono::milliseconds usual_patience{5000};

  /// `say` prints a line; empty: nothing is said.
  explicit Waiting(Say say, std::chrono::milliseconds patience = usual_patience);
  /// Lines on stderr, unless the user wants it quiet.
  explicit Waiting(const CommonOptions& common);
  ~Waiting();
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;

  /// What begins now; empty: nothing that takes time, or somebody else tells of it.
  void on(const std::string& what);
  /// How far that has come, behind it in the line: "57 experiments".
  void so_far(const std::string& progress);
  /// Somebody else has printed a line.
  void heard();

 private:
  void watch(const std::stop_token& stop);

  Say say_;
  std::chrono::milliseconds patience_;
  std::mutex mutex_;  ///< of what follows
  std::condition_variable_any changed_;
  std::string what_, so_far_;
  Clock::time_point began_, heard_;
  std::jthread watcher_;
};

}  // namespace evo::terminal
