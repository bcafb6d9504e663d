// Each trial is proposed again from the history that the ledger records, and its verdict is obtained again. A
// row that was altered is therefore found twice: by its hash, and, where the field follows from anything, by
// what it should be.
#include "engine/replay.hpp"
#include "engine/archive.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "engine/campaign.hpp"
#include "engine/exchanges.hpp"
#include "engine/insights.hpp"
#include "engine/pipeline.hpp"
#include "engine/proposer.hpp"
#include "engine/record_json.hpp"
#include "engine/replay_derived.hpp"
#include "engine/screen.hpp"
#include "engine/screening.hpp"
#include "engine/search_space.hpp"
#include "engine/tally.hpp"
#include "engine/trial_difference.hpp"
#include "engine/verdicts.hpp"
#include "model/error.hpp"

namespace evo::engine {
namespace {

/// A recorded trial on its way through the ladder again.
struct Pending {
  TrialRecord got;
  std::optional<std::int64_t> same_genome_as;
  bool clock_decided = false;
};

class Replay {
 public:
  Replay(const model::Experiment& experiment, evaluators::Evaluator& evaluator, const Ledger& ledger,
         const ReplayOptions& options)
      : experiment_(experiment),
        ledger_(ledger),
        options_(options),
        info_(evaluator.info()),
        trials_(ledger.trials()),
        space_(make_search_space(experiment)),
        pipeline_(evaluator, options.threads, options.threads) {
    const auto recorded = ledger.meta();
    if (!recorded) throw model::Exception(model::ExitCode::usage, "the ledger is empty: nothing to replay");
    check_resumable(*recorded, make_run_meta(experiment, info_, recorded->input_seed));
    check_latency_model(trials_, info_);
    const std::vector<EventRecord> events = ledger.events();
    exchanges_.load(events);
    load_screening(events, evaluator);
    for (const EventRecord& event : events) {
      if (event.kind == event_kinds::compile_timeout) compile_timeouts_.insert(event.trial);
      if (event.kind == event_kinds::device_timeout) device_timeouts_.insert(event.trial);
    }
  }

  ReplayReport run() {
    report_integrity();
    Proposer proposer(experiment_.search, space_, &exchanges_);
    Tally tally(experiment_);
    const auto count = static_cast<std::int64_t>(trials_.size());
    const std::int64_t ahead = 4 * std::int64_t{std::max(options_.threads, 1)};
    std::vector<Pending> pending;
    std::int64_t done = 0;
    while (done < count) {
      stop_if_asked();
      while (static_cast<std::int64_t>(pending.size()) < std::min(count, done + ahead)) {
        pending.push_back(propose(proposer, static_cast<std::int64_t>(pending.size())));
      }
      const auto finished = pipeline_.next(std::chrono::milliseconds{50});
      if (!finished) continue;
      judge(*finished, pending[static_cast<std::size_t>(done)], tally);
      tally.add(trials_[static_cast<std::size_t>(done)]);
      ++done;
    }
    compare_derived_rows(experiment_, space_, ledger_, trials_, report_.mismatches);
    report_.trials = count;
    return std::move(report_);
  }

  ReplayReport run_one(std::int64_t index) {
    report_integrity(index);
    Proposer proposer(experiment_.search, space_, &exchanges_);
    Tally tally(experiment_);
    for (std::int64_t i = 0; i < index; ++i) {
      const TrialRecord& trial = at(i);
      proposer.note(i, trial.template_name, trial.genome);
      const bool reached_device = trial.correct() || (trial.gate && *trial.gate >= model::Gate::sanitize);
      if (reached_device && !trial.code_identity.empty()) pipeline_.know(trial.code_identity, i);
      tally.add(trial);
    }
    if (screening_)
      remember_pools(proposer, ledger_.events(), std::span(trials_).first(static_cast<std::size_t>(index)),
                     visible_trials(index, experiment_.search.max_in_flight));
    Pending pending = propose(proposer, index);
    while (true) {
      stop_if_asked();
      if (const auto finished = pipeline_.next(std::chrono::milliseconds{50})) {
        judge(*finished, pending, tally);
        break;
      }
    }
    report_.trials = 1;
    return std::move(report_);
  }

  [[nodiscard]] std::int64_t find(std::string_view variant) const {
    std::optional<std::int64_t> found;
    for (const TrialRecord& trial : trials_) {
      if (!trial.variant.starts_with(variant) || variant.empty()) continue;
      if (!found) {
        found = trial.index;
      } else if (at(*found).variant != trial.variant) {
        throw model::Exception(
            model::ExitCode::usage,
            fmt::format("variant '{}' is not unique: {} and {}", variant, at(*found).variant, trial.variant));
      }
    }
    if (!found)
      throw model::Exception(model::ExitCode::usage, fmt::format("the run has no variant '{}'", variant));
    return *found;
  }

 private:
  [[nodiscard]] const TrialRecord& at(std::int64_t index) const {
    return trials_[static_cast<std::size_t>(index)];
  }

  void stop_if_asked() {
    if (!options_.stop.stop_requested()) return;
    pipeline_.drain();
    throw model::Exception(model::ExitCode::interrupted, "the replay was interrupted");
  }

  /// With `only`, issues of other trials are left out.
  void report_integrity(std::optional<std::int64_t> only = std::nullopt) {
    for (const IntegrityIssue& issue : ledger_.verify()) {
      if (only && (issue.table != "trials" || issue.row != *only)) continue;
      report_.mismatches.push_back(
          {issue.row, issue.table, "row", "a row that fits its hash", issue.message});
    }
  }

  void load_screening(const std::vector<EventRecord>& events, evaluators::Evaluator& evaluator) {
    if (!experiment_.search.screen.on()) return;
    if (options_.latency_model == nullptr)
      throw model::Exception(model::ExitCode::failed, "search.screen: there is no model to screen with");
    check_screening_model(events, options_.latency_model->name());
    for (const EventRecord& event : events) {
      if (event.kind == event_kinds::screened) screened_[event.trial] = to_json(without_clock(event.details));
      const auto slot = screened_slot(event);
      if (slot && std::ranges::any_of(slot->pool, [](const ScreenedCandidate& one) {
            return one.failed.starts_with("compile_timeout");
          }))
        clock_chose_[event.trial] = slot->pool[slot->chosen.position].modelled_us;
    }
    screening_ = std::make_unique<Screening>(evaluator, *options_.latency_model, space_, experiment_.search,
                                             options_.threads);
  }

  /// What the model chooses of a slot's pool, against what the ledger says of it.
  Proposal choose_again(Proposer& proposer, std::int64_t index) {
    Drawn drawn = proposer.draw(index, trials_);
    // Where a compiler ran out of time, that is obeyed: another machine would choose another.
    if (const auto clock = clock_chose_.find(index); clock != clock_chose_.end()) {
      const auto went = std::ranges::find_if(drawn.pool, [&](const Proposal& one) {
        return one.template_name == at(index).template_name && one.genome == at(index).genome;
      });
      if (went != drawn.pool.end()) {
        if (clock->second) proposer.note_modelled(index, *clock->second);
        return std::move(*went);
      }
    }
    screening_->submit(proposer.slot(index), std::move(drawn));
    std::optional<Screened> screened;
    while (!screened) {
      stop_if_asked();
      screened = screening_->next(std::chrono::milliseconds{50});
    }
    if (screened->modelled_us) proposer.note_modelled(index, *screened->modelled_us);
    const auto place = screened_.find(index);
    const std::string expected = place == screened_.end() ? "none" : place->second;
    const std::string got = screened->event ? to_json(without_clock(screened->event->details)) : "none";
    if (expected != got) report_.mismatches.push_back({index, "events", "screened", expected, got});
    return std::move(screened->proposal);
  }

  Pending propose(Proposer& proposer, std::int64_t index) {
    const TrialRecord& recorded = at(index);
    const SlotId slot = proposer.slot(index);
    const Proposal proposal = screening_ ? choose_again(proposer, index) : proposer.ask(index, trials_);
    const SearchTemplate& proposed_entry = *space_.find(proposal.template_name);
    const auto again =
        trial_of(proposal, slot,
                 model::make_variant(proposed_entry.kernel_template, proposed_entry.space, proposal.genome));
    compare_proposal(recorded, again, report_.mismatches);
    // From here on the recorded genome is what counts: its verdict is what is to be checked.
    const SearchTemplate* entry = space_.find(recorded.template_name);
    Pending pending{recorded, proposer.note(index, recorded.template_name, recorded.genome),
                    compile_timeouts_.contains(index) || device_timeouts_.contains(index)};
    if (entry == nullptr || !entry->space.legal(recorded.genome)) {
      // An altered row; compare_proposal() has named it, and there is nothing to prepare.
      pending.clock_decided = true;
      pipeline_.submit(index, {}, Work::none);
      return pending;
    }
    pending.got =
        trial_of(proposal, slot, model::make_variant(entry->kernel_template, entry->space, recorded.genome));
    const Work work = pending.same_genome_as || compile_timeouts_.contains(index) ? Work::none
                      : device_timeouts_.contains(index)                          ? Work::prepare_only
                                                                                  : Work::all;
    pipeline_.submit(index, model::make_variant(entry->kernel_template, entry->space, recorded.genome), work);
    return pending;
  }

  void judge(const Finished& finished, Pending& pending, const Tally& tally) {
    const TrialRecord& recorded = at(finished.index);
    if (pending.clock_decided) return;
    TrialRecord& got = pending.got;
    if (finished.prepared) record_prepared(got, *finished.prepared);
    if (finished.evaluation) record_evaluation(got, *finished.evaluation);
    if (finished.evaluation && !experiment_.search.archive.empty())
      record_behaviour(got, *finished.evaluation);
    const auto original = pending.same_genome_as ? pending.same_genome_as : finished.same_code_as;
    if (original) record_duplicate(got, at(*original), pending.same_genome_as ? "same_genome" : "same_code");
    // A measured latency is what it was: the verdict on it is what can be checked.
    const bool measured = info_.latency_kind == model::LatencyKind::measured;
    if (measured && !got.latencies.empty() && !recorded.latencies.empty()) {
      got.latencies = recorded.latencies;
      got.paired = recorded.paired;
    }
    if (measured && got.status == model::Status::proven && recorded.reason == comparison_failed) {
      // That it could not be timed in turn is part of what was measured.
      got.status = recorded.status;
      got.gate = recorded.gate;
      got.reason = recorded.reason;
      got.evidence = recorded.evidence;
      got.latencies.clear();
    }
    tally.settle(got);
    compare_verdict(recorded, got, measured, report_.mismatches);
    // One that began early may have been given less.
    if (recorded.paired && recorded.paired->error.value_or(0) > tally.promotion_error().next())
      report_.mismatches.push_back({recorded.index, "comparisons", "error",
                                    fmt::format("{}", *recorded.paired->error),
                                    fmt::format("at most {}", tally.promotion_error().next())});
  }

  const model::Experiment& experiment_;
  const Ledger& ledger_;
  ReplayOptions options_;
  evaluators::EvaluatorInfo info_;
  std::vector<TrialRecord> trials_;
  SearchSpace space_;
  Exchanges exchanges_{nullptr, [](const EventRecord&) {}};
  std::set<std::int64_t> compile_timeouts_, device_timeouts_;
  std::map<std::int64_t, std::string> screened_;  // what the ledger says of each pool
  /// Pools in which a compiler ran out of time, with what the model said of the candidate that went.
  std::map<std::int64_t, std::optional<double>> clock_chose_;
  ReplayReport report_;
  Pipeline pipeline_;
  std::unique_ptr<Screening> screening_;  // nullptr: nothing was screened
};

}  // namespace

ReplayReport replay_run(const model::Experiment& experiment, evaluators::Evaluator& evaluator,
                        const Ledger& ledger, const ReplayOptions& options) {
  return Replay(experiment, evaluator, ledger, options).run();
}

ReplayReport replay_variant(const model::Experiment& experiment, evaluators::Evaluator& evaluator,
                            const Ledger& ledger, std::string_view variant, const ReplayOptions& options) {
  Replay replay(experiment, evaluator, ledger, options);
  return replay.run_one(replay.find(variant));
}

}  // namespace evo::engine
