// A run that is read again and again while it goes on: of a ledger that has grown only what is new.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "engine/lineage.hpp"
#include "engine/tally.hpp"
#include "report/run_view.hpp"

namespace evo::report {

class RunReader {
 public:
  explicit RunReader(std::string path, Reading how = {}) : path_(std::move(path)), how_(std::move(how)) {}

  /// The run as of this moment, as read_run() has it; the reader's own until the next call. Reading::see is
  /// called with each trial that is new, and with all again where `rounds()` counts up. Throws as read_run()
  /// does; the next call reads all again then.
  RunView& read();
  /// How often the whole ledger was read: at first, and where it is damaged, of an older evo, or another one.
  [[nodiscard]] std::int64_t rounds() const { return rounds_; }

 private:
  /// What all trials so far came to.
  struct Walk {
    Walk(engine::Tally counted, const model::Experiment& experiment, std::size_t most)
        : tally(std::move(counted)),
          bandit(experiment.search),
          listing(most, experiment.gates.timing_resolution) {}
    engine::Tally tally;
    engine::LineageHash lineage;
    engine::BanditHistory bandit;
    Listing listing;
    std::int64_t due = 0;  ///< the index of the next trial, if none is missing
  };

  void begin();
  void take(engine::TrialRecord&& trial);
  [[nodiscard]] std::vector<std::int64_t> missing(const engine::LedgerRemains& remains);
  void read_all();
  bool read_more();
  void put_trials(std::vector<engine::TrialRecord> read);
  void sum_up();

  std::string path_;
  Reading how_;
  RunView view_;
  std::optional<Walk> walk_;
  engine::LedgerMark mark_;
  std::vector<std::int64_t> wanted_;  ///< of a run that lists a part: its trials' indices
  std::int64_t rounds_ = 0;
};

}  // namespace evo::report
