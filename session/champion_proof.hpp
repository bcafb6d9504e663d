// What a champion must stand at the end of a run, beyond the trial that every candidate has.
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/trial.hpp"
#include "evaluators/gates/ladder.hpp"
#include "evaluators/sanitizer/compute_sanitizer.hpp"
#include "model/experiment.hpp"
#include "session/held_out.hpp"

namespace evo::session {

class EvaluationStack;

/// In this order; after a failure nothing more is asked.
struct ChampionProof {
  HeldOut held_out;  ///< in a fresh process, with perturbed launches
  std::optional<evaluators::gates::DelayedBuild> delayed;
  std::optional<evaluators::sanitizer::Report> sanitizer;

  [[nodiscard]] bool valid() const { return held_out.report.valid() && failure() == nullptr; }
  [[nodiscard]] const model::Failure* failure() const;
  /// A gate of the ladder, "delays" or "compute-sanitizer"; "" when valid.
  [[nodiscard]] std::string failed_at() const;

  std::optional<model::Failure> sanitizer_failure{};  ///< of `sanitizer`
  /// Correct on the virtual device of this process, too: where the run's GPUs are other machines' alone.
  bool proven_here = false;
  /// Why not, where the virtual device cannot run it, or not in time: the rest is the workers' word.
  std::string not_proven_here{};
};

/// `entropy`: of inputs and shapes. compute-sanitizer runs on a cuda device, unless gates.sanitizer_timeout_s
/// is 0; where it does not, the report says why.
[[nodiscard]] ChampionProof prove_champion(const model::Experiment& experiment, EvaluationStack& stack,
                                           const engine::TrialRecord& champion, std::uint64_t entropy,
                                           const std::stop_token& stop);

/// One of the finalists and what became of it.
struct Finalist {
  engine::TrialRecord trial;
  ChampionProof proof;
};
/// Asks the finalists one after the other (find_champion(), then the others by latency, five at most) until
/// one stands; it is the last of the list. After a stop the list proves nothing.
[[nodiscard]] std::vector<Finalist> ask_finalists(const model::Experiment& experiment, EvaluationStack& stack,
                                                  const std::vector<engine::TrialRecord>& trials,
                                                  const engine::TrialRecord& champion,
                                                  const std::stop_token& stop);

/// What the ledger keeps: champion_refused or champion_proven.
[[nodiscard]] engine::EventRecord event_of(const Finalist& finalist);

/// The notes of kind "perturbed": what launches under changed surroundings came to.
[[nodiscard]] std::vector<model::Evidence> perturbed_notes(const std::vector<model::Evidence>& notes);

}  // namespace evo::session
