// Insights v1: what the measured and proven trials say about the space.
#pragma once

#include <span>

#include "engine/search_space.hpp"
#include "engine/trial.hpp"
#include "model/insight.hpp"

namespace evo::engine {

/// Thresholds of the failure patterns.
struct InsightSettings {
  double minimum_rate = 0.5;         ///< Wilson lower bound of one or two gene values
  double minimum_rate_triple = 0.6;  ///< of three: there are many more of them to be fooled by
  int maximum_patterns = 24;         ///< per template
};

/// Insights for the proposals of `generation`, from the history that its first slot sees. A pure function.
///
/// Effects: y = ln(latency) of the correct trials of a template (duplicates count once); the effect of a gene
/// value is mean(y | value) - mean(y), which is (1 - n_v / n) times the difference between the trials with
/// the value and the rest, so that its interval is Welch's for that difference, scaled. A plain marginal
/// mean: it is not adjusted for other genes. Stated when both sides have at least two trials.
///
/// Failures: conjunctions of up to three gene values of which enough trials ended with one status and reason;
/// a conjunction is left out when a part of it is already reported for the same end.
[[nodiscard]] model::Insights compute_insights(const SearchSpace& space, std::span<const TrialRecord> history,
                                               int generation, const InsightSettings& settings = {});

/// Length of the history that proposal `index` sees, for W proposals in flight: results of proposals <= index
/// - W.
[[nodiscard]] std::int64_t visible_trials(std::int64_t index, int max_in_flight);

/// Mean over all pairs of trials of the share of genes in which they differ (1 across templates); 0 for fewer
/// than two trials.
[[nodiscard]] double diversity(std::span<const TrialRecord> trials);

}  // namespace evo::engine
