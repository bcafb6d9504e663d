// A run that another process makes, as `evo watch` follows it: for the panel, and as lines.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "report/run_reader.hpp"
#include "terminal/panel.hpp"

namespace evo::terminal {

/// What was read of the run last, and what the panel knows of it.
class WatchedRun {
 public:
  /// `path`: of the run's folder; nothing is read yet.
  explicit WatchedRun(const std::string& path);
  WatchedRun(const WatchedRun&) = delete;
  WatchedRun& operator=(const WatchedRun&) = delete;

  /// Reads the run again; what the panel has of its trials is not taken in twice. Valid until the next call.
  /// Throws model::Exception as report::read_run() does.
  const report::RunView& read();
  /// Some process had the run at the last reading.
  [[nodiscard]] bool running() const { return running_; }
  /// As of the last reading, of which there has to be one. `idle_seconds`, `width` and `blocks` as in
  /// PanelRun.
  [[nodiscard]] std::vector<PanelRow> rows(double idle_seconds, std::size_t width, bool blocks) const;

 private:
  void see(const report::RunView& view, const engine::TrialRecord& trial);
  void take(const report::RunView& view);

  std::optional<PanelRun> run_;
  PanelRun::Moment moment_;
  bool running_ = false;
  std::int64_t seen_ = 0, round_ = 0;  ///< trials of the reader's round
  report::Remembered remembered_;
  report::RunReader reader_;
};

/// A line for each generation that is new, and one for the end.
class WatchedLines {
 public:
  /// Those of `view` that no call before has given, each with its end.
  [[nodiscard]] std::string next(const report::RunView& view);

 private:
  std::size_t shown_ = 0;
};

}  // namespace evo::terminal
