// The weights of operators and language models over a run whose search has a bandit.
#pragma once

#include <string>
#include <vector>

#include <boost/json.hpp>

#include "engine/bandit.hpp"

namespace evo::report {

/// [{"generation", "arms": [{"name", "weight", "factor", "trials", "gains", "reward"}]}]
[[nodiscard]] boost::json::array bandit_json(const std::vector<engine::BanditGeneration>& history);
/// The last generation's, the largest weight first; "" where there is none.
[[nodiscard]] std::string bandit_text(const std::vector<engine::BanditGeneration>& history);

}  // namespace evo::report
