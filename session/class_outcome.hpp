// What a run says in the end of each other GPU model that was there: who is fastest on it, and what the run's
// own champion is worth on it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/ledger.hpp"
#include "engine/trial.hpp"
#include "model/experiment.hpp"
#include "session/device_class.hpp"
#include "session/final_verdict.hpp"

namespace evo::session {

/// A variant that was proven on another model as a champion is: on inputs and shapes that no trial has seen,
/// in a fresh process there.
struct ProvenThere {
  engine::TrialRecord trial;
  std::string failed_at,
      reason;  ///< the gate that refused it, "delays" or "compute-sanitizer", and why; empty: it stood
  std::optional<FinalVerdict> verdict;  ///< against the baseline, on that model; nullopt: it did not stand

  [[nodiscard]] bool valid() const { return failed_at.empty(); }
};

struct ClassOutcome {
  std::string model;
  std::string ended;          ///< why nothing was tried to the end there; empty: it was
  std::size_t trials = 0;     ///< of the run that were tried there, in all sessions
  double device_seconds = 0;  ///< of this session, in no budget
  /// The fastest there that stood, or the last that was asked; nullopt: nothing was proven there.
  std::optional<ProvenThere> champion;
  /// The run's champion there; nullopt where the run has none.
  std::optional<ProvenThere> run_champion;

  [[nodiscard]] bool same() const {
    return champion && run_champion && champion->trial.variant == run_champion->trial.variant;
  }
};

/// Tries `champion`, the run's, on each class if it was not tried there, proves each class's own champion and
/// that of the run, and takes their final verdicts, as far as the ledger does not hold that yet. A class
/// whose environment breaks has its reason in `ended`. After a stop what was begun is left out.
[[nodiscard]] std::vector<ClassOutcome> judge_classes(
    const model::Experiment& experiment, const std::vector<std::unique_ptr<DeviceClass>>& classes,
    const engine::TrialRecord* searched, const engine::TrialRecord* champion, engine::Ledger& ledger,
    const std::stop_token& stop);

/// The same as a ledger tells it, for reports: `trials` and `events` are the run's. `ended` and
/// `device_seconds` are of a session, and empty.
[[nodiscard]] std::vector<ClassOutcome> classes_of(const std::vector<engine::TrialRecord>& trials,
                                                   const std::vector<engine::EventRecord>& events);

/// Kind of the event that keeps one; trial = the index; details: class, driver, variant, role ("champion",
/// "run_champion"), failed_at, reason, verdict.
inline constexpr const char* class_verdict_event = "class_verdict";

}  // namespace evo::session
