// What is told of compute-sanitizer, and of what nobody checked.
#pragma once

#include <string>
#include <vector>

#include <boost/json.hpp>

#include "evaluators/sanitizer/compute_sanitizer.hpp"
#include "model/verdict.hpp"

namespace evo::terminal {

[[nodiscard]] boost::json::object to_json(const evaluators::sanitizer::Report& report);

/// "not checked for ...", by whom, or that compute-sanitizer has done it; empty if nothing is missing.
/// `report`: what watched it; null if nothing did.
[[nodiscard]] std::string not_checked_text(const std::vector<model::Evidence>& notes,
                                           const evaluators::sanitizer::Report* report);

}  // namespace evo::terminal
