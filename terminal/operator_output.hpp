// What the operators of a run that edits sources have done, as text and as JSON.
#pragma once

#include <span>
#include <string>

#include <boost/json.hpp>

#include "engine/operator_counts.hpp"
#include "session/insight_checks.hpp"

namespace evo::terminal {

/// A row an operator, then the edits of `champion` (if any) with what each is worth: by `checks`, which timed
/// the champion in turn with the same without it, else by the trials. "" for a run without edits.
[[nodiscard]] std::string operators_text(std::span<const engine::TrialRecord> trials,
                                         const engine::TrialRecord* champion,
                                         std::span<const session::InsightCheck> checks);
/// {"operators": {NAME: {"proposed", "parsed", ...}}, "edits": [{"edit", "without", "factor", "checked"}]}
[[nodiscard]] boost::json::object operators_json(std::span<const engine::TrialRecord> trials,
                                                 const engine::TrialRecord* champion,
                                                 std::span<const session::InsightCheck> checks);

}  // namespace evo::terminal
