// What a champion owes to each of its genes and edits, by controlled comparison: the gene goes back to the
// value that it had at first, or the edit is left out, everything else stays, and both are timed in turn.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/object.hpp>

#include "engine/search_space.hpp"
#include "engine/trial.hpp"
#include "evaluators/compile/compiler.hpp"
#include "evaluators/gates/device_job.hpp"
#include "evaluators/gates/device_pool.hpp"
#include "evaluators/measure/statistics.hpp"
#include "model/experiment.hpp"

namespace evo::session {

class EvaluationStack;

/// confirmed: without its value the champion is slower by more than the margin. refuted: it is not.
/// inconclusive: the interval holds both, or there is nothing to time. untested: nobody has tried.
enum class CheckStatus : std::uint8_t { untested, confirmed, refuted, inconclusive };
/// "untested", "confirmed", "refuted", "inconclusive".
[[nodiscard]] std::string_view name_of(CheckStatus status);

/// Of one check where there are few; with more than fifty each gets its share of 5 % (Bonferroni).
inline constexpr double check_confidence = 0.999, checks_error = 0.05;
/// Two jobs a check, one with each side as the candidate, of so many rounds.
inline constexpr int check_jobs = 2, check_rounds = 28;

/// The raw samples; status, ratio and interval are computed of them, whenever they are asked.
struct InsightCheck {
  std::string template_name;
  model::Environment from, to;    ///< what went back: the champion's values and edits, and the first ones
  std::string champion, flipped;  ///< variant ids
  model::LatencyKind kind = model::LatencyKind::modelled;
  std::size_t rounds_a_load = 0;  ///< pairs between two fresh loads; 0: modelled
  /// candidate = flipped, opponent = champion; modelled: one number a side.
  std::vector<evaluators::gates::PairedSeries> series;
  std::string refused;  ///< "illegal: why" or "wrong (mismatch)": why there are no samples; empty otherwise
  double seconds = 0;   ///< wall time of the check
  /// The trial that is this comparison already (session/insight_claims); nullopt: it was made.
  std::optional<std::int64_t> trial{};
  bool idle = false;  ///< made while the device had nothing else to do (session/idle_checks.hpp)

  [[nodiscard]] std::size_t pairs() const;
  /// Flipped over champion, at this confidence; modelled: a point. NaNs without samples.
  [[nodiscard]] evaluators::measure::RatioInterval ratio(double confidence = check_confidence) const;
};

/// How sure the interval of each of so many checks is.
[[nodiscard]] double confidence_of(std::size_t checks);
/// `checks`: how many were made of this champion.
[[nodiscard]] CheckStatus status_of(const InsightCheck& check, std::size_t checks);

/// What the champion's genes are held against: the baseline's, or in another template the initial ones.
[[nodiscard]] model::Genome first_values(const engine::SearchSpace& space,
                                         const engine::TrialRecord& champion);

/// What goes back in one comparison: each gene that differs, alone, or, where that is illegal, with as few
/// others as make it legal, in the order of the genes' names; then each edit that `first` does not have, left
/// out (model::no_edit). Each set once. Without a space each gene is alone.
[[nodiscard]] std::vector<model::Environment> steps_back(const engine::SearchSpace* space,
                                                         const engine::TrialRecord& champion,
                                                         const model::Genome& first);

/// The genes that go back next. First those of steps_back(); then all that were refuted, together; if
/// that is too slow, one after the other on top of those that are still a tie. nullopt when nothing is left,
/// or `most` were made. A pure function of what was made.
[[nodiscard]] std::optional<model::Environment> next_check(const engine::SearchSpace& space,
                                                           const engine::TrialRecord& champion,
                                                           const std::vector<InsightCheck>& made,
                                                           std::int64_t most);

/// The genes that may go back to their values in `first` together, by a check that was made: where it makes
/// the champion faster by more than the margin, the set that gains most; else the largest. Empty if there is
/// none.
[[nodiscard]] model::Environment reducible(const std::vector<InsightCheck>& made, const model::Genome& first);

/// Takes the champion with the values of `to` up the ladder and compares it with the champion: in turn on a
/// real device, by their modelled latencies on the virtual one.
[[nodiscard]] InsightCheck make_check(const model::Experiment& experiment, const engine::SearchSpace& space,
                                      EvaluationStack& stack, const engine::TrialRecord& champion,
                                      const model::Environment& to);

/// A check that says what goes back to what, and nothing of what comes of it. Throws model::Exception(failed)
/// where the champion's template is not there.
[[nodiscard]] InsightCheck begin_check(const engine::SearchSpace& space, const engine::TrialRecord& champion,
                                       const model::Environment& to, model::LatencyKind kind);
/// The champion with the values of `to`; nullopt where that is illegal, which `check` then says.
[[nodiscard]] std::optional<model::Variant> flipped_variant(const engine::SearchSpace& space,
                                                            const engine::TrialRecord& champion,
                                                            InsightCheck& check);

/// What times two proven variants in turn, with all rounds that it is asked for.
struct CheckTimer {
  const model::Experiment& experiment;
  evaluators::compile::Compiler& compiler;
  evaluators::gates::JobRunner& runner;
  const evaluators::gates::DeviceFactory& virtual_device;
  const evaluators::oracle::Catalogue& known;

  /// Adds `rounds` pairs to the check; `swapped`: with the champion as the candidate. False, and the check is
  /// refused, where they cannot be timed.
  bool add_rounds(InsightCheck& check, const model::Variant& flipped, const model::Variant& champion,
                  std::uint64_t input_seed, int rounds, bool swapped) const;
};

/// Kind of the event that keeps a check; trial = the champion's index; details: from, to, ratio,
/// check (the JSON of to_json, with samples).
inline constexpr const char* insight_checked_event = "insight_checked";
[[nodiscard]] engine::EventRecord event_of(const InsightCheck& check, std::int64_t trial);
/// Those of this champion, in the order in which they were made.
[[nodiscard]] std::vector<InsightCheck> find_checks(const std::vector<engine::EventRecord>& events,
                                                    std::int64_t trial);

/// Samples and what they say among so many checks.
[[nodiscard]] boost::json::object to_json(const InsightCheck& check, std::size_t checks);

}  // namespace evo::session
