// Main effects of gene values on ln(latency); see engine/insights.hpp.
#pragma once

#include <span>
#include <vector>

#include "engine/search_space.hpp"
#include "engine/trial.hpp"
#include "model/insight.hpp"

namespace evo::engine {

/// In the order of the template's genes and values; ids are left empty.
[[nodiscard]] std::vector<model::ValueEffect> value_effects(const SearchTemplate& entry,
                                                            std::span<const TrialRecord> history);

}  // namespace evo::engine
