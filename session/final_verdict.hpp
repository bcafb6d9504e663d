// What a run says of its champion in the end: timed once more against the baseline, on inputs that no trial
// has seen, in a process that has run nothing else.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/object.hpp>

#include "engine/trial.hpp"
#include "model/experiment.hpp"
#include "session/timed_pairs.hpp"

namespace evo::session {

class EvaluationStack;

/// A champion's pairs with the baseline, which decide, and what is recorded beside them.
struct FinalVerdict : TimedPairs {
  std::string variant, baseline;  ///< variant ids; equal where the baseline is the champion
  std::string accuracy_class, device;
  double margin = model::GateSettings{}.final_margin;
  /// How many trials of the run were timed in turn with the champion of their moment, how many of them were
  /// decided on fresh rounds behind their screening, what error those have spent, and the chance that any
  /// comparison of the run promotes what is not faster, at most (engine/promotion_error).
  std::size_t comparisons = 0, decided = 0;
  double spent_error = 0, false_promotion_at_most = 0;
  /// Bounds on counters that the experiment demands, as text: the champion has passed the profile gate. Empty
  /// where there are none, or the champion is the baseline, which need not keep them.
  std::vector<std::string> counter_bounds;
  /// The same two with a cold L2 where the experiment times hot, and the other way round: recorded, and no
  /// part of the decision. nullopt: modelled, which does not tell the two apart, or not asked.
  std::optional<TimedPairs> other_cache;
  /// The champion against what else computes the problem, as the experiment times; what could not take part
  /// has its reason as `failure`. No part of the decision.
  std::vector<TimedPairs> comparators;

  [[nodiscard]] Decision decision() const { return decision_at(margin, fewest_pairs); }
};

/// What is measured besides the pairs that decide: nothing, or what the experiment says
/// (GateSettings::final_beside).
enum class Beside : std::uint8_t { nothing, as_said };

/// Times the trials' variants in turn on a cuda device; what a modelled verdict says is in the trials. The
/// entropy gives the jobs' input seeds. nullopt after a stop, or where a trial has no latency.
[[nodiscard]] std::optional<FinalVerdict> judge_champion(const model::Experiment& experiment,
                                                         EvaluationStack& stack,
                                                         const engine::TrialRecord& baseline,
                                                         const engine::TrialRecord& champion,
                                                         std::uint64_t entropy, const std::stop_token& stop,
                                                         Beside beside = Beside::as_said);

/// Kind of the event that keeps a verdict; trial = the champion's index; details: variant, decision, verdict
/// (the JSON of to_json, with samples).
inline constexpr const char* final_verdict_event = "final_verdict";
[[nodiscard]] engine::EventRecord event_of(const FinalVerdict& verdict, std::int64_t trial);
/// The last verdict on this trial in a ledger; nullopt if there is none that can be read. A champion that was
/// reduced has a verdict of its own under the same trial: `variant` asks for one of the two.
[[nodiscard]] std::optional<FinalVerdict> find_verdict(const std::vector<engine::EventRecord>& events,
                                                       std::int64_t trial, std::string_view variant = {});

/// Decision, ratio, criteria one by one, and for each workload the statistics and the samples
/// (docs/reference/json.md).
[[nodiscard]] boost::json::object to_json(const FinalVerdict& verdict);
/// A few lines for a person; ends with a newline.
[[nodiscard]] std::string text_of(const FinalVerdict& verdict);

}  // namespace evo::session
