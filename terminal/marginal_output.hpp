// What `evo insights --all` prints of genes one at a time.
#pragma once

#include <string>
#include <vector>

#include "engine/trial.hpp"
#include "model/insight.hpp"

namespace evo::terminal {

/// insights_text() under a heading, then how many of `trials` failed and of what.
[[nodiscard]] std::string marginal_text(const std::vector<model::Insights>& insights,
                                        const std::vector<engine::TrialRecord>& trials);

}  // namespace evo::terminal
