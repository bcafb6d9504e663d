// What a run learnt, for one screen: what worked, what did not, why, and what to try next.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/counter_effects.hpp"
#include "engine/search_space.hpp"
#include "model/counters.hpp"
#include "session/insight_claims.hpp"

namespace evo::session {

/// A gene in which the champion differs from the values that it is held against (first_values), or a few that
/// can only go back together (steps_back).
struct GeneWorth {
  model::Environment was, now;
  Tested tested;  ///< confirmed: without it the champion is slower by more than the margin
  /// Of the champion's gain over the baseline, on ln(latency); shares of genes that act together add up to
  /// more or less than 1. nullopt where nothing timed it.
  std::optional<double> share;
  std::optional<engine::JointEffect> estimated;  ///< of going back, from all trials together
};

struct ClaimTested {
  Claim claim;
  Tested tested;
};

/// Something to do, and what says so.
struct Suggestion {
  std::string text, evidence;
};

struct InsightSummary {
  int generation = 0;       ///< of the state that is described
  std::int64_t trials = 0;  ///< that were looked at
  std::size_t runs = 1;
  model::LatencyKind kind = model::LatencyKind::modelled;
  std::optional<engine::TrialRecord> baseline, champion;
  double speedup = 1;
  double noise = 0;                 ///< of ln(latency), which no effect explains
  std::int64_t correct_trials = 0;  ///< of the champion's template
  std::vector<GeneWorth> genes;
  std::vector<ClaimTested> claims;
  model::Environment goes_back;   ///< genes whose first values do as well, together
  std::optional<Tested> reduced;  ///< the comparison that shows it
  std::string reduced_variant;    ///< its id
  bool went_back = false;  ///< it is the run's champion in the place of `champion` (session/reduction.hpp)
  /// What limits the champion on each workload, of its stored profile (evo profile); measured where it was.
  std::vector<model::CounterReading> profile{};
  /// What the genes of the champion's template do to counters, against the champion's values; empty where the
  /// run's profile gate counted nothing (add_counter_effects()).
  std::vector<engine::CounterEffects> counters{};
  std::vector<Suggestion> next;
};

/// What a run that has ended claims of its champion; a pure function of the ledger.
[[nodiscard]] std::vector<Claim> claims_of_run(std::span<const engine::TrialRecord> trials,
                                               const std::vector<model::Insights>& insights,
                                               const engine::TrialRecord& champion);

/// What a summary is made of. A run's trials, in index order, with what its ledger says of them.
struct RunRecords {
  std::vector<engine::TrialRecord> trials;
  std::vector<model::Insights> insights;
  std::vector<engine::EventRecord> events;
};

/// The state after `generation`, or at the end where it is nullopt. `space`: of the experiment; without it,
/// a champion of another template than the baseline's is held against that template's first trial, and no
/// values are named that nobody tried. `others`: trials of further runs of the same problem, of which
/// effects are estimated together; comparisons are the run's own.
[[nodiscard]] InsightSummary summarize(const RunRecords& run, const engine::SearchSpace* space,
                                       std::optional<int> generation = std::nullopt,
                                       std::span<const RunRecords> others = {});

/// Adds what genes do to counters over the same trials, and those of `others`. `counters`: those that are
/// asked for, the experiment's bounds for instance; nullopt: all that were counted, with wider intervals.
void add_counter_effects(InsightSummary& summary, const RunRecords& run, std::span<const RunRecords> others,
                         const std::optional<std::vector<std::string>>& counters);
/// Counters that the experiment bounds, each once.
[[nodiscard]] std::vector<std::string> bounded_counters(const model::Experiment& experiment);

/// What goes back, with what the champion has instead: model::change_text().
[[nodiscard]] std::string back_text(const InsightSummary& summary);

}  // namespace evo::session
