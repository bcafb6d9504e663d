// The champion reduced to the genes that matter: what does nothing goes back to the value that it had at
// first, and the reduced variant takes the champion's place where it is proven as a champion is and its final
// verdict against the champion is a tie or better.
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/trial.hpp"
#include "model/experiment.hpp"
#include "session/final_verdict.hpp"
#include "session/insight_checks.hpp"

namespace evo::session {

class EvaluationStack;

/// operator_name of the record of a reduced champion: no trial of the run has it.
inline constexpr const char* reduction_operator = "reduction";
/// What its trial says of what was put back, when it is made and when it is read back.
[[nodiscard]] std::string reduction_rationale(const model::Environment& was, const model::Environment& back);

/// What came of it.
struct Reduction {
  std::string champion;          ///< id of the variant that the search found
  model::Environment was, back;  ///< the genes: the champion's values, and the first ones
  /// The reduced variant as a record, with the champion's index: lineages hold trials alone, so that they are
  /// the same with and without it. Its parent is the champion.
  engine::TrialRecord trial;
  std::optional<FinalVerdict> against_champion;
  std::string refused;  ///< why the champion stays, in one sentence; empty: the reduced one is the champion

  [[nodiscard]] bool stands() const { return refused.empty(); }
};

/// Takes the champion with the genes of `back` at those values up the ladder, has it proven as a champion is,
/// and judges it against the champion and against the baseline. `verdict`: the champion's against the
/// baseline, whose decision the reduced one must reach, too. `own_verdict` gets that of the reduced one.
/// nullopt after a stop.
[[nodiscard]] std::optional<Reduction> reduce_champion(
    const model::Experiment& experiment, EvaluationStack& stack, const engine::TrialRecord& baseline,
    const engine::TrialRecord& champion, const model::Environment& back,
    const std::optional<FinalVerdict>& verdict, std::optional<FinalVerdict>& own_verdict,
    const std::stop_token& stop);

/// Kind of the event that keeps a reduction; trial = the champion's index; details: variant, champion, was,
/// back, refused, and the record's fields.
inline constexpr const char* champion_reduced_event = "champion_reduced";
[[nodiscard]] engine::EventRecord event_of(const Reduction& reduction, std::int64_t trial);
/// The last one of this champion; nullopt if there is none that can be read.
[[nodiscard]] std::optional<Reduction> find_reduction(const std::vector<engine::EventRecord>& events,
                                                      const engine::TrialRecord& champion);

}  // namespace evo::session
