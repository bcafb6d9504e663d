#include "session/run.hpp"

#include <algorithm>

#include "evaluators/gates/ladder.hpp"

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
  outcome.result = engine::run_campaign(experiment, stack.ladder(), ledger, input_seed, options);
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
  }
  outcome.times = stack.times();
  return outcome;
}

}  // namespace evo::session
