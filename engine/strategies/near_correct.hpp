// Variants whose text was edited and that were refused, but came near to correct: what they lack may be one
// more edit.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "engine/trial.hpp"
#include "source/edit.hpp"

namespace evo::engine {

/// How far a refused trial was from correct, as its evidence says. The worst of several outputs.
struct Nearness {
  double wrong_share = 0;  ///< of the judged elements, 0..1
  double times_bound = 0;  ///< errors over their bounds; infinite where nobody said
};

/// nullopt where the evidence does not say, or where more than wrong values was seen: a write to an input or
/// beyond an output, a race.
[[nodiscard]] std::optional<Nearness> nearness_of(const TrialRecord& trial);

/// Trials with edits that came near, at most `limit`, by: wrong elements, errors, expected latency (of the
/// first parent, times the predicted effect), the newer first. A function of the trials alone.
[[nodiscard]] std::vector<const TrialRecord*> near_correct(std::span<const TrialRecord> trials,
                                                           std::size_t limit);

/// The edits of a trial that its first parent has not: what was done last.
[[nodiscard]] source::Edits change_made(std::span<const TrialRecord> trials, const TrialRecord& trial);

}  // namespace evo::engine
