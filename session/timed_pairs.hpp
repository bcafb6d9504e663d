// A champion and somebody else timed in turn at the end of a run: the raw samples, and what they say.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/object.hpp>

#include "evaluators/gates/device_job.hpp"
#include "evaluators/measure/statistics.hpp"
#include "model/timing_notes.hpp"
#include "session/gpu_state.hpp"

namespace evo::session {

/// tie: correct, and the interval holds a difference below the margin. not_valid: a side failed when they
/// were timed, or the pairs are too few.
enum class Decision : std::uint8_t { promoted, tie, correct_slower, not_valid };
/// "promoted", "tie", "correct_slower", "not_valid".
[[nodiscard]] std::string_view name_of(Decision decision);

/// A gain or a loss below this share of a latency is none where genes and claims are checked; a final verdict
/// has a margin of its own (GateSettings::final_margin).
inline constexpr double practical_margin = 0.01;
/// Of an interval of such pairs.
inline constexpr double verdict_confidence = 0.999;
/// So many jobs, each with inputs of its own and a fresh load of both modules every two rounds, of so many
/// rounds.
inline constexpr int verdict_jobs = 4, verdict_rounds = 28;
/// And of so many with the L2 that does not decide: a cold one takes thousands of sets of buffers, through
/// which both sides go in each round (a verdict of 70 s, docs/results/2026-11-28-gpus-11.md).
inline constexpr int other_cache_rounds = 8;
/// A decision that was measured in fewer pairs is not valid, and what is said beside it in fewer of these.
inline constexpr std::size_t fewest_pairs = 100, fewest_beside = verdict_jobs * other_cache_rounds;
/// A job in which the GPU slowed itself down is thrown away and timed again, this many at most.
inline constexpr std::size_t most_discarded_jobs = verdict_jobs;

/// Counts what was seen in a job, and whether it was seen at all; what is counted are jobs. True: its samples
/// are not to be kept.
[[nodiscard]] bool note_job(model::HeldClocks& clocks, const std::optional<GpuState>& state);

/// Everything that is said of them is computed of the samples, whenever it is asked.
struct TimedPairs {
  std::string against = "baseline";  ///< or the name of a comparator
  model::LatencyKind kind = model::LatencyKind::modelled;
  std::string cache = "hot";               ///< GateSettings::cache of these pairs
  std::vector<std::uint64_t> input_seeds;  ///< of the jobs; none was used in a trial
  std::size_t rounds_a_load = 0;           ///< pairs between two fresh loads; 0: modelled
  /// In the order in which they were taken, the champion as the candidate; microseconds of seven digits.
  /// Modelled: one number a side, of 15 digits.
  std::vector<evaluators::gates::PairedSeries> series;
  model::HeldClocks clocks;  ///< of jobs
  std::string failure;       ///< why there are no samples; empty otherwise

  /// Of each workload.
  [[nodiscard]] std::size_t pairs() const;
  /// Champion over the other, weighted over workloads. Measured: the mean of the loads' means and Student's t
  /// interval over loads, since pairs between two loads share where code lies. Modelled: a point. NaNs
  /// without samples.
  [[nodiscard]] evaluators::measure::RatioInterval ratio() const;
  /// At that margin, a share of the other's latency; not valid of fewer pairs than `fewest`.
  [[nodiscard]] Decision decision_at(double margin, std::size_t fewest = fewest_beside) const;

  /// Adds a job's samples, rounded as said above; false where they do not fit those before.
  [[nodiscard]] bool add(const std::vector<evaluators::gates::PairedSeries>& more);
};

/// `value` with so many digits.
[[nodiscard]] double rounded_to(double value, int digits);

/// {against, cache, latency_kind, failure, decision, ratio, interval, speedup, pairs, rounds_a_load, clocks,
/// input_seeds, workloads with statistics and samples}; `margin`: of the decision.
[[nodiscard]] boost::json::object to_json(const TimedPairs& pairs, double margin);
/// Workloads, clocks and input seeds alone.
void add_samples_json(boost::json::object& object, const TimedPairs& pairs);
/// Reads what to_json() wrote, to the bit. Throws what boost::json throws where a key is missing or of
/// another type.
[[nodiscard]] TimedPairs timed_pairs_from_json(const boost::json::object& object);
/// null where it is no number.
[[nodiscard]] boost::json::value finite_or_null(double value);
[[nodiscard]] boost::json::array strings(const std::vector<std::string>& all);
/// A number as to_json() writes it: Boost's reader may miss it by a unit in the last place.
[[nodiscard]] double exact_number(const boost::json::value& value);
/// "1.605x [1.590, 1.620]": how many times as fast the champion is; modelled: without an interval.
[[nodiscard]] std::string speedup_text(const TimedPairs& pairs);

}  // namespace evo::session
