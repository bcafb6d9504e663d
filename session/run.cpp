#include "session/run.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "engine/promotion_error.hpp"
#include "evaluators/gates/ladder.hpp"
#include "llm/backends/backends.hpp"
#include "session/class_chains.hpp"
#include "session/idle_checks.hpp"
#include "session/insight_rules.hpp"
#include "session/insight_summary.hpp"

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

void tell(const engine::CampaignOptions& options, const std::string& stage) {
  if (options.observer != nullptr) options.observer->on_stage(stage);
}

/// What the comparisons of the search have spent of the run's error.
void note_error(FinalVerdict& verdict, const RunOutcome& outcome, const model::Experiment& experiment) {
  engine::PromotionError error(experiment.gates.promotion_error, outcome.result.progress.planned_trials);
  for (const engine::TrialRecord& trial : outcome.trials) error.add(trial);
  verdict.comparisons = static_cast<std::size_t>(error.comparisons());
  verdict.decided = static_cast<std::size_t>(error.decided());
  verdict.spent_error = error.spent();
  // Exact latencies are compared without error.
  verdict.false_promotion_at_most = verdict.kind == model::LatencyKind::measured ? error.bound() : 0;
}

/// The ledger's verdict on the champion that stood, or one that is taken now and kept there. After a stop the
/// outcome is that of an interrupted run.
void take_verdict(RunOutcome& outcome, const model::Experiment& experiment, EvaluationStack& stack,
                  engine::Ledger& ledger, const engine::CampaignOptions& options) {
  const engine::TrialRecord* champion = outcome.searched_champion();
  if (champion == nullptr) return;
  outcome.verdict = find_verdict(ledger.events(), champion->index, champion->variant);
  if (outcome.verdict) return;
  const std::stop_token& stop = options.stop;
  tell(options, "the final verdict on the champion");
  outcome.verdict = judge_champion(experiment, stack, outcome.trials.front(), *champion,
                                   outcome.finalists.back().proof.held_out.entropy, stop);
  if (outcome.verdict) {
    note_error(*outcome.verdict, outcome, experiment);
    engine::Commit commit;
    commit.events.push_back(event_of(*outcome.verdict, champion->index));
    ledger.commit(commit);
  } else if (stop.stop_requested()) {
    outcome.result.status = engine::CampaignStatus::interrupted;
  }
}

/// Flips the champion's genes as far as the ledger does not hold that yet; each is kept as soon as it is
/// known, so that a run that is killed goes on behind it. A check that an idle slot made takes the budget's
/// slot and no time; whatever idle slots made, the same comparisons decide.
void check_insights(RunOutcome& outcome, const model::Experiment& experiment, EvaluationStack& stack,
                    engine::Ledger& ledger, const engine::CampaignOptions& options) {
  const engine::TrialRecord* champion = outcome.searched_champion();
  if (champion == nullptr || outcome.interrupted()) return;
  const engine::SearchSpace space = engine::make_search_space(experiment);
  const std::vector<InsightCheck> made = find_checks(ledger.events(), champion->index);
  const std::stop_token& stop = options.stop;
  auto slots = experiment.budget.insight_checks;
  std::vector<Claim> claims = claims_of_run(outcome.trials, ledger.insights(), *champion);
  while (slots > 0) {
    constexpr std::int64_t any = std::numeric_limits<std::int64_t>::max();
    auto next = next_check(space, *champion, outcome.checks, any);
    claims = settled(std::move(claims), *champion, outcome.trials, outcome.checks);
    if (!next) next = next_claim_check(claims, *champion, outcome.trials, outcome.checks);
    if (!next) break;
    // What the trials show already needs no slot, and no event.
    if (auto known = known_check(outcome.trials, *champion, *next)) {
      outcome.checks.push_back(std::move(*known));
      continue;
    }
    if (const InsightCheck* check = find_made(made, *next)) {
      outcome.checks.push_back(*check);
      if (!check->flipped.empty()) --slots;
      continue;
    }
    if (stop.stop_requested()) {
      outcome.result.status = engine::CampaignStatus::interrupted;
      break;
    }
    const std::int64_t all = experiment.budget.insight_checks;
    tell(options, fmt::format("testing insights, {} of {} checks", all - slots + 1, all));
    outcome.checks.push_back(make_check(experiment, space, stack, *champion, *next));
    // What is illegal was not tried.
    if (!outcome.checks.back().flipped.empty()) --slots;
    engine::Commit commit;
    commit.events.push_back(event_of(outcome.checks.back(), champion->index));
    ledger.commit(commit);
  }
  outcome.deciding = outcome.checks.size();
  for (const InsightCheck& check : made)
    if (find_made(outcome.checks, check.to) == nullptr) outcome.checks.push_back(check);
}

/// Puts the genes back that the checks found to do nothing, as far as the ledger does not hold that yet.
void reduce(RunOutcome& outcome, const model::Experiment& experiment, EvaluationStack& stack,
            engine::Ledger& ledger, const engine::CampaignOptions& options) {
  const engine::TrialRecord* champion = outcome.searched_champion();
  if (champion == nullptr || outcome.interrupted()) return;
  const std::vector<InsightCheck> deciding(
      outcome.checks.begin(), outcome.checks.begin() + static_cast<std::ptrdiff_t>(outcome.deciding));
  const std::vector<engine::EventRecord> events = ledger.events();
  // One that an earlier session made stands also where this one makes no checks.
  outcome.reduction = find_reduction(events, *champion);
  if (!outcome.reduction && outcome.deciding == 0) return;
  if (!outcome.reduction) {
    const engine::SearchSpace space = engine::make_search_space(experiment);
    const model::Environment back = reducible(deciding, first_values(space, *champion));
    if (back.empty()) return;
    const std::stop_token& stop = options.stop;
    tell(options, "the champion without genes that do nothing");
    std::optional<FinalVerdict> own;
    const auto made = stop.stop_requested() ? std::nullopt
                                            : reduce_champion(experiment, stack, outcome.trials.front(),
                                                              *champion, back, outcome.verdict, own, stop);
    if (!made) {
      outcome.result.status = engine::CampaignStatus::interrupted;
      return;
    }
    engine::Commit commit;
    commit.events.push_back(event_of(*made, champion->index));
    if (own) commit.events.push_back(event_of(*own, champion->index));
    ledger.commit(commit);
    // As the ledger says it, whether it was made now or in an earlier session.
    outcome.reduction = find_reduction(commit.events, *champion);
  }
  if (!outcome.reduction || !outcome.reduction->stands()) return;
  outcome.verdict = find_verdict(ledger.events(), champion->index, outcome.reduction->trial.variant);
  outcome.result.progress.champion = outcome.reduction->trial;
}

/// The campaign, with checks beside it where a GPU can be idle: the virtual device never is.
engine::CampaignResult search(const model::Experiment& experiment, EvaluationStack& stack,
                              engine::Ledger& ledger, std::uint64_t input_seed,
                              engine::CampaignOptions options, std::int64_t idle_checks) {
  auto* idle = dynamic_cast<evaluators::gates::IdleRunner*>(&stack.runner());
  if (idle_checks <= 0 || idle == nullptr)
    return engine::run_campaign(experiment, stack.ladder(), ledger, input_seed, options);
  WatchedEvaluator watched(stack.ladder());
  IdleChecks checks(experiment, stack, *idle, watched, ledger, options.observer,
                    {.most = idle_checks, .threads = options.threads});
  options.observer = &checks;
  engine::CampaignResult result = engine::run_campaign(experiment, watched, ledger, input_seed, options);
  engine::Commit commit;
  checks.stop();
  commit.events = checks.ended();
  if (!commit.events.empty()) ledger.commit(commit);
  return result;
}

/// A run that is over tries nothing more on other models: they are told what is known of them. False: it goes
/// on.
bool remember_if_over(const std::vector<std::unique_ptr<DeviceClass>>& classes,
                      const engine::Ledger& ledger) {
  const std::vector<engine::EventRecord> events = ledger.events();
  const bool over = std::ranges::any_of(
      events, [](const engine::EventRecord& event) { return event.kind == engine::event_kinds::finished; });
  if (!over) return false;
  const std::vector<engine::TrialRecord> trials = ledger.trials();
  for (const auto& own : classes) own->remember(events, trials);
  return true;
}

}  // namespace

const engine::TrialRecord* RunOutcome::invalid_baseline() const {
  const bool invalid = result.status == engine::CampaignStatus::baseline_invalid;
  return invalid && !trials.empty() ? &trials.front() : nullptr;
}

const engine::TrialRecord* RunOutcome::proven_champion() const {
  return reduction && reduction->stands() ? &reduction->trial : searched_champion();
}

const engine::TrialRecord* RunOutcome::searched_champion() const {
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
                          std::uint64_t input_seed, const engine::CampaignOptions& options,
                          std::int64_t idle_checks, const ClassesBeside& beside) {
  RunOutcome outcome;
  engine::CampaignOptions with_models = options;
  with_models.latency_model = stack.latency_model();
  std::unique_ptr<llm::Backend> models;
  if (!experiment.search.models.empty()) {
    models = llm::make_backend(experiment.search.models);
    with_models.models = models.get();
  }
  {
    std::optional<ClassChains> chains;
    if (!beside.classes.empty() && !remember_if_over(beside.classes, ledger))
      with_models.observer = &chains.emplace(beside.classes, ledger, options.observer, beside.tell);
    outcome.result = search(experiment, stack, ledger, input_seed, with_models, idle_checks);
    if (chains) chains->stop(outcome.interrupted());
  }
  outcome.trials = ledger.trials();
  outcome.meta = *ledger.meta();
  std::optional<engine::TrialRecord>& champion = outcome.result.progress.champion;
  if (champion && !outcome.interrupted()) {
    stack.end_search();
    tell(options, "proving the champion");
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
    take_verdict(outcome, experiment, stack, ledger, options);
    check_insights(outcome, experiment, stack, ledger, options);
    reduce(outcome, experiment, stack, ledger, options);
  }
  if (!outcome.interrupted() && !options.stop.stop_requested()) {
    if (!beside.classes.empty()) tell(options, "what GPUs of other models came to");
    outcome.classes = judge_classes(experiment, beside.classes, outcome.searched_champion(),
                                    outcome.proven_champion(), ledger, options.stop);
  }
  outcome.times = stack.times();
  return outcome;
}

}  // namespace evo::session
