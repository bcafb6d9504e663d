#include "engine/campaign_run.hpp"
#include "engine/archive.hpp"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include "engine/budget.hpp"
#include "engine/counter_records.hpp"
#include "engine/insights.hpp"
#include "engine/lineage.hpp"
#include "engine/record_hash.hpp"
#include "engine/stop_if.hpp"
#include "engine/verdicts.hpp"
#include "model/error.hpp"

namespace evo::engine {
namespace {

using std::chrono::milliseconds;

/// How often a stop and the wall budget are looked at while nothing finishes.
constexpr milliseconds poll{50};
/// The same while proposals wait for a model's choice, or comparisons run, which are to reach the device
/// soon.
constexpr milliseconds short_poll{5};
/// The same while a comparison is waited for, which wakes nobody.
constexpr milliseconds comparison_poll{2};

}  // namespace

CampaignRun::CampaignRun(const model::Experiment& experiment, evaluators::Evaluator& evaluator,
                         Ledger& ledger, std::uint64_t input_seed, const CampaignOptions& options)
    : experiment_(experiment),
      evaluator_(evaluator),
      ledger_(ledger),
      options_(options),
      clock_(options.clock != nullptr ? *options.clock : steady_clock_),
      observer_(options.observer != nullptr ? *options.observer : silent_),
      meta_(make_run_meta(experiment, evaluator.info(), input_seed)),
      space_(make_search_space(experiment)),
      // Written at once: a reply that was paid for outlives the process.
      exchanges_(options.models,
                 [this](const EventRecord& event) {
                   Commit commit;
                   commit.events.push_back(event);
                   if (event.kind == event_kinds::model_exchange) {
                     ledger_.commit(commit);
                   } else {
                     write(commit);
                   }
                 }),
      proposer_(experiment.search, space_, &exchanges_),
      tally_(experiment, legal_genomes(space_)),
      pipeline_(evaluator, options.threads, options.device_threads, options.ahead),
      early_(evaluator, options.pairings) {
  if (!experiment.search.screen.on()) return;
  if (options.latency_model == nullptr)
    throw model::Exception(model::ExitCode::failed, "search.screen: there is no model to screen with");
  screening_ = std::make_unique<Screening>(evaluator, *options.latency_model, space_, experiment.search,
                                           options.threads);
}

CampaignResult CampaignRun::run() {
  started_ = clock_.now();
  load();
  if (auto ended = recorded_end()) return *ended;
  observer_.on_begin(tally_.progress());
  while (true) {
    if (baseline_failed()) return finish(CampaignStatus::baseline_invalid, std::nullopt);
    if (tally_.progress().trials >= tally_.progress().planned_trials)
      return finish(natural_status(), std::nullopt);
    if (auto stalled = stalled_in_trials(experiment_.budget.stop_if, tally_.trials()))
      return finish(CampaignStatus::budget, std::move(stalled));
    if (auto spent = clock_budget()) {
      drain();
      if (baseline_failed()) return finish(CampaignStatus::baseline_invalid, std::nullopt);
      spent->trial = tally_.progress().trials;
      return finish(CampaignStatus::budget, std::move(spent));
    }
    if (options_.stop.stop_requested()) return interrupt();
    propose();
    admit_screened();
    look_ahead();
    commit_finished(screening_ && !screening_->empty() ? short_poll : poll);
  }
}

void CampaignRun::load() {
  const auto recorded = ledger_.meta();
  if (!recorded) {
    ledger_.begin(meta_);
    return;
  }
  check_resumable(*recorded, meta_);
  // Going on from an altered ledger would pass the alteration on to everything that follows.
  if (const auto issues = ledger_.verify(); !issues.empty()) {
    throw model::Exception(model::ExitCode::verification_failed,
                           fmt::format("this run cannot be continued: {}", issues.front().message));
  }
  exchanges_.load(ledger_.events());
  const std::vector<TrialRecord> trials = ledger_.trials();
  check_latency_model(trials, evaluator_.info());
  for (const TrialRecord& trial : trials) {
    proposer_.note(trial.index, trial.template_name, trial.genome);
    const bool reached_device = trial.correct() || (trial.gate && *trial.gate >= model::Gate::sanitize);
    if (reached_device && !trial.code_identity.empty()) pipeline_.know(trial.code_identity, trial.index);
    tally_.add(trial);
  }
  asked_ = tally_.progress().trials;
  load_screening(trials);
  elapsed_before_ = tally_.progress().elapsed_seconds;
  if (!recorded_end()) {
    Commit commit;
    commit.events.push_back({event_kinds::resumed, asked_, {}});
    write(commit);
  }
}

void CampaignRun::load_screening(std::span<const TrialRecord> trials) {
  if (!screening_) return;
  const std::vector<EventRecord> events = ledger_.events();
  check_screening_model(events, options_.latency_model->name());
  remember_pools(proposer_, events, trials, visible_trials(asked_, experiment_.search.max_in_flight));
}

std::optional<CampaignResult> CampaignRun::recorded_end() const {
  for (const EventRecord& event : ledger_.events()) {
    if (event.kind == event_kinds::finished) return summarize(ledger_, experiment_);
  }
  return std::nullopt;
}

void CampaignRun::propose() {
  const CampaignProgress& progress = tally_.progress();
  while (asked_ < progress.planned_trials &&
         visible_trials(asked_, experiment_.search.max_in_flight) <= progress.trials) {
    // The baseline climbs alone: nothing is tried before it is proven.
    if (asked_ > 0 && !progress.baseline) return;
    if (screening_) {
      screening_->submit(proposer_.slot(asked_), proposer_.draw(asked_, tally_.trials()));
    } else {
      Proposal proposal = proposer_.ask(asked_, tally_.trials());
      const SearchTemplate& entry = *space_.find(proposal.template_name);
      model::Variant variant = model::make_variant(entry.kernel_template, entry.space, proposal.genome);
      admit({asked_, std::move(proposal), std::move(variant), nullptr, std::nullopt, std::nullopt});
    }
    ++asked_;
  }
}

void CampaignRun::admit(Screened next_up) {
  const Proposal& proposal = next_up.proposal;
  if (next_up.modelled_us) proposer_.note_modelled(next_up.index, *next_up.modelled_us);
  InFlight next{trial_of(proposal, proposer_.slot(next_up.index), next_up.variant),
                proposer_.note(next_up.index, proposal.template_name, proposal.genome),
                std::move(next_up.event)};
  pipeline_.submit(next_up.index, std::move(next_up.variant), next.same_genome_as ? Work::none : Work::all,
                   std::move(next_up.prepared));
  in_flight_.push_back(std::move(next));
}

void CampaignRun::admit_screened() {
  if (!screening_) return;
  // Where nothing else is under way there is nothing to do but wait.
  auto wait = in_flight_.empty() ? poll : milliseconds{0};
  while (auto screened = screening_->next(wait)) {
    wait = milliseconds{0};
    admit(std::move(*screened));
  }
}

void CampaignRun::commit_finished(milliseconds timeout) {
  if (in_flight_.empty()) return;
  if (!held_) {
    // The end of a comparison wakes nobody.
    held_ = pipeline_.next(early_.at_work() > 0 ? std::min(timeout, short_poll) : timeout, true);
    if (!held_) return;
    if (held_->evaluation && !in_flight_.front().evaluated) note_evaluated(*held_, in_flight_.front());
  }
  // Others are sent on to the devices meanwhile. At the end nobody waits for what has not begun: the trial is
  // left out, as those that were not evaluated.
  if (!is_compared(*held_)) {
    if (!draining_) pipeline_.wait(comparison_poll);
    return;
  }
  const Finished finished = std::move(*held_);
  held_.reset();
  commit(finished);
}

void CampaignRun::commit(const Finished& finished) {
  InFlight done = std::move(in_flight_.front());
  in_flight_.pop_front();
  TrialRecord& trial = done.trial;
  if (finished.prepared) record_prepared(trial, *finished.prepared);
  if (finished.evaluation) record_evaluation(trial, *finished.evaluation);
  if (finished.evaluation && !experiment_.search.archive.empty())
    record_behaviour(trial, *finished.evaluation);
  const auto original = done.same_genome_as ? done.same_genome_as : finished.same_code_as;
  if (original) {
    record_duplicate(trial, tally_.trials().at(static_cast<std::size_t>(*original)),
                     done.same_genome_as ? "same_genome" : "same_code");
  }
  Commit commit;
  commit.samples =
      samples_to_keep(finished.evaluation ? &*finished.evaluation : nullptr, pair(trial, finished));
  trial.samples_hash = hash_of(commit.samples);
  trial.device_seconds += pipeline_.wasted();
  tally_.settle(trial);
  update_elapsed();
  trial.elapsed_seconds = tally_.progress().elapsed_seconds;
  if (options_.farm_cost) {
    const double cost = options_.farm_cost();
    record_work(trial, finished.evaluation ? &*finished.evaluation : nullptr, experiment_.budget,
                cost - farm_cost_);
    farm_cost_ = cost;
  }

  // Everything that is decided here goes into one transaction.
  const int population = std::max(experiment_.search.population, 1);
  if (trial.slot == 0) commit.insights = proposer_.insights(trial.generation, tally_.trials());
  tally_.add(trial);
  commit.trial = trial;
  if (done.screened) commit.events.push_back(std::move(*done.screened));
  if (finished.evaluation && finished.evaluation->counters && trial.duplicate_of.empty())
    commit.events.push_back(counted_event_of(trial.index, *finished.evaluation->counters));
  if (auto event = clock_event(trial, meta_.device_kind)) commit.events.push_back(std::move(*event));
  if (trial.slot + 1 == population) commit.generation = tally_.generation(trial.generation);
  write(commit);
}

void CampaignRun::write(const Commit& commit) {
  ledger_.commit(commit);
  if (commit.trial) observer_.on_trial(*commit.trial, tally_.progress());
  if (commit.generation) observer_.on_generation(*commit.generation, tally_.progress());
  for (const EventRecord& event : commit.events) observer_.on_event(event);
}

std::optional<EventRecord> CampaignRun::clock_budget() const {
  const CampaignProgress& progress = tally_.progress();
  const double elapsed = elapsed_before_ + clock_.now() - started_;
  if (auto spent =
          spent_budget(experiment_.budget, progress.trials, elapsed, progress.device_seconds, progress.cost))
    return spent;
  return stalled_in_time(experiment_.budget.stop_if, tally_.trials(), elapsed);
}

void CampaignRun::drain() {
  if (screening_) screening_->drain();
  pipeline_.drain();
  early_.drain();
  draining_ = true;
  std::size_t before = 0;
  do {
    // A trial behind the one at which the run was to stop is in no undisturbed run.
    if (stalled_in_trials(experiment_.budget.stop_if, tally_.trials())) return;
    before = in_flight_.size();
    commit_finished(milliseconds{0});
  } while (in_flight_.size() < before);
}

CampaignResult CampaignRun::interrupt() {
  drain();
  if (baseline_failed()) return finish(CampaignStatus::baseline_invalid, std::nullopt);
  if (tally_.progress().trials >= tally_.progress().planned_trials)
    return finish(natural_status(), std::nullopt);
  if (auto stalled = stalled_in_trials(experiment_.budget.stop_if, tally_.trials()))
    return finish(CampaignStatus::budget, std::move(stalled));
  Commit commit;
  commit.events.push_back({event_kinds::interrupted, tally_.progress().trials, {}});
  write(commit);
  return result(CampaignStatus::interrupted);
}

CampaignStatus CampaignRun::natural_status() const {
  // A trials budget that cuts the generations short is a budget that ended the run.
  const std::int64_t slots =
      std::int64_t{std::max(experiment_.search.population, 1)} * std::max(experiment_.search.generations, 1);
  const bool exhausted = space_exhausted(tally_.progress());
  const bool only_baseline = exhausted && tally_.progress().trials == 1;
  if (tally_.correct_candidates() == 0 && !only_baseline) return CampaignStatus::no_valid_candidate;
  if (exhausted) return CampaignStatus::done;
  return tally_.progress().planned_trials < slots ? CampaignStatus::budget : CampaignStatus::done;
}

bool CampaignRun::baseline_failed() const {
  return tally_.progress().trials > 0 && !tally_.progress().baseline;
}

CampaignResult CampaignRun::finish(CampaignStatus status, std::optional<EventRecord> cause) {
  if (status == CampaignStatus::budget && tally_.correct_candidates() == 0 && tally_.progress().trials > 1) {
    status = CampaignStatus::no_valid_candidate;
  }
  const int population = std::max(experiment_.search.population, 1);
  const std::int64_t trials = tally_.progress().trials;
  Commit commit;
  if (cause) commit.events.push_back(std::move(*cause));
  commit.events.push_back(
      {event_kinds::finished,
       trials,
       {{"status", std::string(name_of(status))}, {"lineage_sha256", lineage_sha256(tally_.trials())}}});
  if (trials % population != 0) commit.generation = tally_.generation(tally_.progress().generation);
  const auto next_generation = static_cast<int>((trials + population - 1) / population);
  commit.insights = compute_insights(space_, tally_.trials(), next_generation);
  write(commit);
  return result(status);
}

CampaignResult CampaignRun::result(CampaignStatus status) const {
  return {status, tally_.progress(), lineage_sha256(tally_.trials())};
}

void CampaignRun::update_elapsed() {
  tally_.set_elapsed(elapsed_before_ + clock_.now() - started_);
}

}  // namespace evo::engine
