// compute-sanitizer over the launches of a proven variant, for the champion of a run and for what `check` and
// `validate` could not check otherwise.
#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "evaluators/gates/ladder.hpp"
#include "evaluators/sanitizer/compute_sanitizer.hpp"
#include "model/experiment.hpp"

namespace evo::session {

class EvaluationStack;

/// Runs it on the stack's GPU; without one, or with gates.sanitizer_timeout_s 0, the report says why not.
[[nodiscard]] evaluators::sanitizer::Report watch_launches(const model::Experiment& experiment,
                                                           EvaluationStack& stack,
                                                           const evaluators::Prepared& prepared,
                                                           const std::stop_token& stop);

/// The notes of kind "not_checked": what the virtual device could not follow, so that nobody has looked for
/// races, bounds and uninitialised reads there.
[[nodiscard]] std::vector<model::Evidence> not_checked(const std::vector<model::Evidence>& notes);

/// One variant up the ladder, and what compute-sanitizer says of it where the ladder could not check all.
struct WatchedProof {
  evaluators::gates::GateReport report;
  std::optional<evaluators::sanitizer::Report> watched;
  std::optional<model::Failure> watched_failure;  ///< of `watched`

  [[nodiscard]] bool valid() const { return report.valid() && !watched_failure; }
  [[nodiscard]] const model::Failure* failure() const;
  /// A gate of the ladder or "compute-sanitizer"; "" when valid.
  [[nodiscard]] std::string failed_at() const;
};

/// The experiment's baseline up the whole ladder.
[[nodiscard]] WatchedProof prove_baseline(const model::Experiment& experiment, EvaluationStack& stack);

}  // namespace evo::session
