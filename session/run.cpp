#include "session/run.hpp"

#include <algorithm>

#include "evaluators/gates/ladder.hpp"
#include "llm/backends/backends.hpp"

namespace evo::session {
namespace {

void keep_events(engine::Ledger& ledger, const std::vector<Finalist>& finalists) {
  const std::vector<engine::EventRecord> known = ledger.events();
  engine::Commit commit;
  for (const Finalist& finalist : finalists) {
    engine::EventRecord event = event_of(finalist);
    const bool again = std::any_of(known.begin(), known.end(), [&](const engine::EventRecord& other) {
      return other.kind == event.kind && other.trial == event.trial && other.details == event.details;
    });
    if (!again) commit.events.push_back(std::move(event));
  }
  if (!commit.events.empty()) ledger.commit(commit);
}

/// The ledger's verdict on the champion that stood, or one that is taken now and kept there. After a stop the
/// outcome is that of an interrupted run.
void take_verdict(RunOutcome& outcome, const model::Experiment& experiment, EvaluationStack& stack,
                  engine::Ledger& ledger, const std::stop_token& stop) {
  const engine::TrialRecord* champion = outcome.proven_champion();
  if (champion == nullptr) return;
  outcome.verdict = find_verdict(ledger.events(), champion->index);
  if (outcome.verdict) return;
  outcome.verdict = judge_champion(experiment, stack, outcome.trials.front(), *champion,
                                   outcome.finalists.back().proof.held_out.entropy, stop);
  if (outcome.verdict) {
    outcome.verdict->comparisons = static_cast<std::size_t>(
        std::count_if(outcome.trials.begin(), outcome.trials.end(),
                      [](const engine::TrialRecord& trial) { return trial.paired.has_value(); }));
    engine::Commit commit;
    commit.events.push_back(event_of(*outcome.verdict, champion->index));
    ledger.commit(commit);
  } else if (stop.stop_requested()) {
    outcome.result.status = engine::CampaignStatus::interrupted;
  }
}

/// Flips the champion's genes as far as the ledger does not hold that yet; each is kept as soon as it is
/// known, so that a run that is killed goes on behind it.
void check_insights(RunOutcome& outcome, const model::Experiment& experiment, EvaluationStack& stack,
                    engine::Ledger& ledger, const std::stop_token& stop) {
  const engine::TrialRecord* champion = outcome.proven_champion();
  if (champion == nullptr || outcome.interrupted()) return;
  const engine::SearchSpace space = engine::make_search_space(experiment);
  outcome.checks = find_checks(ledger.events(), champion->index);
  while (const auto next = next_check(space, *champion, outcome.checks, experiment.budget.insight_checks)) {
    if (stop.stop_requested()) {
      outcome.result.status = engine::CampaignStatus::interrupted;
      return;
    }
    outcome.checks.push_back(make_check(experiment, space, stack, *champion, *next));
    engine::Commit commit;
    commit.events.push_back(event_of(outcome.checks.back(), champion->index));
    ledger.commit(commit);
  }
}

}  // namespace

const engine::TrialRecord* RunOutcome::invalid_baseline() const {
  const bool invalid = result.status == engine::CampaignStatus::baseline_invalid;
  return invalid && !trials.empty() ? &trials.front() : nullptr;
}

const engine::TrialRecord* RunOutcome::proven_champion() const {
  return !finalists.empty() && finalists.back().proof.valid() ? &finalists.back().trial : nullptr;
}

model::ExitCode RunOutcome::exit_code() const {
  if (!finalists.empty() && proven_champion() == nullptr) return model::ExitCode::verification_failed;
  switch (result.status) {
    case engine::CampaignStatus::done:
    case engine::CampaignStatus::budget:
      return model::ExitCode::done;
    case engine::CampaignStatus::interrupted:
      return model::ExitCode::interrupted;
    case engine::CampaignStatus::no_valid_candidate:
      return model::ExitCode::no_valid_candidate;
    case engine::CampaignStatus::baseline_invalid:
      return model::ExitCode::verification_failed;
  }
  return model::ExitCode::failed;
}

RunOutcome run_to_the_end(const model::Experiment& experiment, EvaluationStack& stack, engine::Ledger& ledger,
                          std::uint64_t input_seed, const engine::CampaignOptions& options) {
  RunOutcome outcome;
  engine::CampaignOptions with_models = options;
  std::unique_ptr<llm::Backend> models;
  if (!experiment.search.models.empty()) {
    models = llm::make_backend(experiment.search.models);
    with_models.models = models.get();
  }
  outcome.result = engine::run_campaign(experiment, stack.ladder(), ledger, input_seed, with_models);
  outcome.trials = ledger.trials();
  outcome.meta = *ledger.meta();
  std::optional<engine::TrialRecord>& champion = outcome.result.progress.champion;
  if (champion && !outcome.interrupted()) {
    outcome.finalists = ask_finalists(experiment, stack, outcome.trials, *champion, options.stop);
    if (options.stop.stop_requested()) {
      outcome.finalists.clear();
      outcome.result.status = engine::CampaignStatus::interrupted;
    }
  }
  if (!outcome.finalists.empty()) {
    champion.reset();
    if (const engine::TrialRecord* proven = outcome.proven_champion()) champion = *proven;
    keep_events(ledger, outcome.finalists);
    take_verdict(outcome, experiment, stack, ledger, options.stop);
    check_insights(outcome, experiment, stack, ledger, options.stop);
  }
  outcome.times = stack.times();
  return outcome;
}

}  // namespace evo::session
