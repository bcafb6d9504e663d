// A run folder as people look at it, in whatever state it is.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <boost/json/object.hpp>

#include "engine/bandit.hpp"
#include "engine/campaign.hpp"
#include "engine/economics.hpp"
#include "engine/salvage.hpp"
#include "model/experiment.hpp"
#include "report/crew.hpp"
#include "report/funnel.hpp"
#include "report/listing.hpp"
#include "report/model_counts.hpp"
#include "report/timing_output.hpp"
#include "session/screen_report.hpp"

namespace evo::report {

/// What a run is doing.
enum class RunState : std::uint8_t {
  finished,  ///< it came to its end
  running,   ///< a process holds its lock
  stopped,   ///< interrupted, killed, or its machine went down: evo resume continues it
};
/// "finished", "running", "stopped".
[[nodiscard]] std::string_view name_of(RunState state);

/// What is said of all trials of a run, listed or not.
struct AllTrials {
  std::int64_t count = 0;
  std::int64_t missing = 0;  ///< gaps between their indices
  Funnel funnel;
  engine::TrialCosts costs;
  Crew crew;  ///< of a farm
  RunTimings timings;
  engine::TieHistory ties;
  ModelTrials models;
  std::vector<engine::BanditGeneration> bandit;
  std::vector<session::ScreenTrial> screened;  ///< all trials, where the experiment screens
  /// Device seconds of all trials up to each listed one; empty where all are listed.
  std::vector<double> device_seconds_until;
};

/// Everything that could be read. `notices` says in one sentence each what could not, or what to think of.
struct RunView {
  std::filesystem::path folder;
  std::string name;              ///< the folder's
  engine::LedgerRemains ledger;  ///< of a very large run its trials are those that Listing names
  AllTrials all;
  RunState state = RunState::stopped;
  /// The folder's experiment; default values when `has_experiment` is false.
  model::Experiment experiment;
  bool has_experiment = false;
  /// As `evo run --json` says it; the champion is the one that was proven at the end, if it came to that.
  engine::CampaignResult result;
  std::vector<std::string> notices;

  /// The trial of the champion or the baseline, which are always among ledger.trials; nullptr without one.
  [[nodiscard]] const engine::TrialRecord* champion() const;
  [[nodiscard]] const engine::TrialRecord* baseline() const;
};

class RunReader;

/// What takes long to find out and does not change: for those who read a run again.
struct Remembered {
  /// Of runs that go on, by their path: what was read of them.
  std::map<std::string, std::shared_ptr<RunReader>> readers;
  /// How many legal genomes an experiment has, by its resolved YAML.
  std::map<std::string, std::uint64_t> spaces;
  /// Counts of a variant's launch: counters.hpp.
  std::map<std::string, boost::json::object> counters;
};

struct Reading {
  /// Kept from one reading to the next by those who read again.
  Remembered* remembered = nullptr;
  /// Trials that RunView::ledger holds, about; memory goes with it.
  std::size_t most = most_trials;
  /// Called with each trial in index order; the view has its name and experiment by then.
  std::function<void(const RunView&, const engine::TrialRecord&)> see{};
};

/// Reads a run and changes nothing in it. Throws model::Exception: (usage) `path` holds no ledger,
/// (environment) the ledger cannot be opened, is empty or of a newer evo.
[[nodiscard]] RunView read_run(const std::string& path, const Reading& how = {});

/// True while a process holds `folder`/lock; takes no lock itself.
[[nodiscard]] bool is_held(const std::filesystem::path& folder);

}  // namespace evo::report
