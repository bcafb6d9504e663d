// What to try next after what a run has learnt.
#pragma once

#include <span>
#include <vector>

#include "engine/joint_effects.hpp"
#include "engine/search_space.hpp"
#include "session/insight_summary.hpp"

namespace evo::session {

/// In the order of their worth. `summary`: all but what is next; `histories`: the trials that its effects are
/// of, its own run's first. A value is advised where its effect is a gain beyond the margin and the champion
/// with it is legal, was not tried, and is not spoken against by the trials nearest to the champion that
/// differ by it alone: more of them fail than not, or they are no faster.
[[nodiscard]] std::vector<Suggestion> advice_of(
    const InsightSummary& summary, const engine::SearchSpace* space, const engine::JointFit& fit,
    std::span<const std::span<const engine::TrialRecord>> histories);

}  // namespace evo::session
