// A run from its first trial to the verdict on its champion.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

#include "engine/campaign.hpp"
#include "engine/ledger.hpp"
#include "evaluators/gates/gate_times.hpp"
#include "model/error.hpp"
#include "model/experiment.hpp"
#include "session/champion_proof.hpp"
#include "session/class_outcome.hpp"
#include "session/evaluation_stack.hpp"
#include "session/final_verdict.hpp"
#include "session/insight_checks.hpp"
#include "session/reduction.hpp"

namespace evo::session {

/// What became of a run, or of the part of it that this session did.
struct RunOutcome {
  /// Its champion is the one that stood; none if every finalist was refused.
  engine::CampaignResult result;
  engine::RunMeta meta;
  std::vector<engine::TrialRecord> trials;
  /// In the order in which they were asked; the last one stood, or none did. Empty when the run did not come
  /// to that: no champion, or it was interrupted before the last answer.
  std::vector<Finalist> finalists;
  /// On the champion that stood; nullopt without one.
  std::optional<FinalVerdict> verdict;
  /// Of the genes of the last finalist: those within budget.insight_checks, then those that only idle slots
  /// made (session/idle_checks.hpp).
  std::vector<InsightCheck> checks;
  /// So many of `checks` decide what goes back: what was made in idle slots beyond the budget does not.
  std::size_t deciding = 0;
  /// What became of the champion without the genes that these checks found to do nothing; nullopt where there
  /// are none.
  std::optional<Reduction> reduction;
  /// What the GPUs of other models came to.
  std::vector<ClassOutcome> classes;
  std::vector<evaluators::gates::GateTime> times;  ///< of this session

  [[nodiscard]] bool interrupted() const { return result.status == engine::CampaignStatus::interrupted; }
  /// The trial of the baseline if it was refused, which ends a run; nullptr otherwise.
  [[nodiscard]] const engine::TrialRecord* invalid_baseline() const;
  /// The finalist that stood; nullptr without one.
  [[nodiscard]] const engine::TrialRecord* searched_champion() const;
  /// The same, or what it was reduced to, where that stands.
  [[nodiscard]] const engine::TrialRecord* proven_champion() const;
  /// done (also when a budget is used up), no_valid_candidate (nothing but the baseline is proven),
  /// verification_failed (the baseline or every finalist is refused), interrupted.
  [[nodiscard]] model::ExitCode exit_code() const;
};

/// GPUs of other models than the run's.
struct ClassesBeside {
  std::vector<std::unique_ptr<DeviceClass>> classes{};
  Tell tell{};  ///< of their new champions, from threads; may be empty
};

/// Goes on with the run in `ledger` until it ends or `options.stop` comes, asks its finalists and keeps what
/// became of them in the ledger, once each, also when a run that has ended is resumed; so the final verdict
/// and the checks of insights, which are not made again while the ledger has them. The evaluator is taken
/// to be sound (require_sound_evaluator()). `idle_checks`: comparisons of the champion that may be made while
/// a GPU has nothing else to do, in all sessions of the run; they change neither the lineage nor what goes
/// back. Nor do `beside`, GPUs of other models, which try the run's trials meanwhile
/// (session/class_chains.hpp).
[[nodiscard]] RunOutcome run_to_the_end(const model::Experiment& experiment, EvaluationStack& stack,
                                        engine::Ledger& ledger, std::uint64_t input_seed,
                                        const engine::CampaignOptions& options, std::int64_t idle_checks = 0,
                                        const ClassesBeside& beside = {});

}  // namespace evo::session
