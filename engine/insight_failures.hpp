// Conjunctions of gene values under which candidates fail; see engine/insights.hpp.
#pragma once

#include <span>
#include <vector>

#include "engine/insights.hpp"
#include "engine/search_space.hpp"
#include "engine/trial.hpp"
#include "model/insight.hpp"

namespace evo::engine {

/// Most certain first, fewer genes before more; ids are left empty.
[[nodiscard]] std::vector<model::FailurePattern> failure_patterns(const SearchTemplate& entry,
                                                                  std::span<const TrialRecord> history,
                                                                  const InsightSettings& settings);

}  // namespace evo::engine
