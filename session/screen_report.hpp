// What screening did in a run, and what it may have cost: from the ledger alone.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/trial.hpp"

namespace evo::session {

/// So many of so many, with Wilson's 95 % interval of the rate.
struct ScreenRate {
  std::int64_t count = 0, of = 0;
  std::array<double, 2> interval{0, 1};
};

/// A mean over `n` values with Student's 95 % interval; NaNs in the interval of fewer than two.
struct ScreenMean {
  double mean = 0;
  std::array<double, 2> interval{};
  std::int64_t n = 0;
};

/// Spearman's rank correlation of modelled and obtained latencies over the correct variants of a template
/// that the device saw, with the interval of Bonett and Wright (Psychometrika 65, 2000); NaNs below four.
struct ScreenCorrelation {
  std::string template_name;
  double rho = 0;
  std::array<double, 2> interval{};
  std::int64_t n = 0;
};

struct ScreenReport {
  std::string model;            ///< what modelled
  std::int64_t candidates = 0;  ///< of all pools
  std::int64_t modelled = 0;
  std::int64_t left_out = 0;  ///< modelled, and another went in their place
  std::int64_t failed = 0;    ///< before any device: another went in their place
  std::int64_t best = 0, explored = 0, alone = 0, rested = 0, not_modelled = 0;  ///< slots by what went
  std::int64_t all_failed = 0;              ///< slots of which no candidate came to a device
  std::string why_not_modelled;             ///< of the first
  double model_cpu_ms = 0, prepare_ms = 0;  ///< a candidate that was looked at, mean

  /// The regret, of the explored, who stand for those that were left out: how many became champion, the mean
  /// of their gains on the champion before (a share of its latency), and the same of the model's best.
  ScreenRate explored_better, best_better;
  std::optional<double> explored_gain;
  /// Each explored correct variant against the model's best of its generation: the share of those that it
  /// beats, and its latency over their geometric mean.
  std::optional<ScreenMean> beats, ratio;
  std::vector<ScreenCorrelation> correlations;  ///< of templates with two variants or more
};

/// What a report on screening needs of a trial: a run may have too many to keep them whole.
struct ScreenTrial {
  std::int64_t index = 0;
  int generation = 0;
  model::Status status = model::Status::wrong;
  std::string template_name;
  std::optional<double> microseconds;  ///< where it is correct
  std::optional<double> paired_ratio;  ///< its latency over that of the champion before it
};
[[nodiscard]] ScreenTrial screen_trial(const engine::TrialRecord& trial);

/// Of all trials of a run, in their order; nullopt for a run that screened nothing.
[[nodiscard]] std::optional<ScreenReport> screen_report(std::span<const ScreenTrial> trials,
                                                        std::span<const engine::EventRecord> events);
[[nodiscard]] std::optional<ScreenReport> screen_report(std::span<const engine::TrialRecord> trials,
                                                        std::span<const engine::EventRecord> events);

}  // namespace evo::session
