// compute-sanitizer over the launches of a proven variant, for the champion of a run and for what `check` and
// `validate` could not check otherwise.
#pragma once

#include <stop_token>
#include <vector>

#include <boost/json.hpp>

#include "evaluators/gates/ladder.hpp"
#include "evaluators/sanitizer/compute_sanitizer.hpp"
#include "model/experiment.hpp"

namespace evo::cli {

class Assembly;

/// Runs it on the assembly's GPU; without one, or with gates.sanitizer_timeout_s 0, the report says why not.
[[nodiscard]] evaluators::sanitizer::Report watch_launches(const model::Experiment& experiment,
                                                           Assembly& assembly,
                                                           const evaluators::Prepared& prepared,
                                                           const std::stop_token& stop);

[[nodiscard]] boost::json::object to_json(const evaluators::sanitizer::Report& report);

/// The notes of kind "not_checked": what the virtual device could not follow, so that nobody has looked for
/// races, bounds and uninitialised reads there.
[[nodiscard]] std::vector<model::Evidence> not_checked(const std::vector<model::Evidence>& notes);

/// "not checked for ...", by whom, or that compute-sanitizer has done it; empty if nothing is missing.
/// `report`: what watched it; null if nothing did.
[[nodiscard]] std::string not_checked_text(const std::vector<model::Evidence>& notes,
                                           const evaluators::sanitizer::Report* report);

}  // namespace evo::cli
