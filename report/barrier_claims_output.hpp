// What a run has shown of barriers, as text and as JSON.
#pragma once

#include <string>
#include <vector>

#include <boost/json.hpp>

#include "engine/barrier_claims.hpp"

namespace evo::report {

/// [{"template", "line", "text", "anchor", "needed", "status", "reason", "trial", "variants_without"}]
[[nodiscard]] boost::json::array barrier_claims_json(const std::vector<engine::BarrierClaim>& claims);
/// A line each; "" where there is none.
[[nodiscard]] std::string barrier_claims_text(const std::vector<engine::BarrierClaim>& claims);

}  // namespace evo::report
