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
#include "evaluators/gates/device_job.hpp"
#include "evaluators/measure/statistics.hpp"
#include "model/experiment.hpp"
#include "model/timing_notes.hpp"

namespace evo::session {

class EvaluationStack;

/// tie: correct, and the interval holds a difference below the margin. not_valid: a side failed when they
/// were timed, or the pairs are too few.
enum class Decision : std::uint8_t { promoted, tie, correct_slower, not_valid };
/// "promoted", "tie", "correct_slower", "not_valid".
[[nodiscard]] std::string_view name_of(Decision decision);

/// A gain or a loss below this share of the baseline's latency is none.
inline constexpr double practical_margin = 0.01;
/// Of the interval of a verdict.
inline constexpr double verdict_confidence = 0.999;
/// A verdict's pairs: so many jobs, each with inputs of its own and a fresh load of both modules every two
/// rounds, of so many rounds.
inline constexpr int verdict_jobs = 4, verdict_rounds = 28;
/// A measured verdict of fewer pairs is not valid.
inline constexpr std::size_t fewest_pairs = 100;

/// A verdict's job in which the GPU slowed itself down is thrown away and timed again, this many at most.
inline constexpr std::size_t most_discarded_jobs = verdict_jobs;

/// Whether clocks were held down while the two were timed; what it counts are jobs.
using model::HeldClocks;

/// The raw samples and where they come from; everything else is computed of them, whenever it is asked.
struct FinalVerdict {
  std::string variant, baseline;  ///< variant ids; equal where the baseline is the champion
  model::LatencyKind kind = model::LatencyKind::modelled;
  std::string accuracy_class, device;
  double margin = practical_margin;
  std::vector<std::uint64_t> input_seeds;  ///< of the jobs; none was used in a trial
  std::size_t rounds_a_load = 0;           ///< pairs between two fresh loads; 0: modelled
  /// In the order in which they were taken; microseconds of seven digits. Modelled: one number a side, of 15
  /// digits.
  std::vector<evaluators::gates::PairedSeries> series;
  /// How many trials of the run were timed in turn with the champion of their moment, how many of them were
  /// decided on fresh rounds behind their screening, what error those have spent, and the chance that any
  /// comparison of the run promotes what is not faster, at most (engine/promotion_error).
  std::size_t comparisons = 0, decided = 0;
  double spent_error = 0, false_promotion_at_most = 0;
  HeldClocks clocks;
  /// Bounds on counters that the experiment demands, as text: the champion has passed the profile gate. Empty
  /// where there are none, or the champion is the baseline, which need not keep them.
  std::vector<std::string> counter_bounds;
  std::string failure;  ///< why there are no samples; empty otherwise

  /// Of each workload.
  [[nodiscard]] std::size_t pairs() const;
  /// Champion over baseline, weighted over workloads. Measured: the mean of the loads' means and Student's t
  /// interval over loads, since pairs between two loads share where code lies. Modelled: a point. NaNs
  /// without samples.
  [[nodiscard]] evaluators::measure::RatioInterval ratio() const;
  [[nodiscard]] Decision decision() const;
};

/// Times the trials' variants in turn on a cuda device; what a modelled verdict says is in the trials. The
/// entropy gives the jobs' input seeds. nullopt after a stop, or where a trial has no latency.
[[nodiscard]] std::optional<FinalVerdict> judge_champion(const model::Experiment& experiment,
                                                         EvaluationStack& stack,
                                                         const engine::TrialRecord& baseline,
                                                         const engine::TrialRecord& champion,
                                                         std::uint64_t entropy, const std::stop_token& stop);

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
