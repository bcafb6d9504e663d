// The trials of a run as columns: a tenth of the size of a list of objects.
#pragma once

#include <vector>

#include <boost/json.hpp>

#include "engine/trial.hpp"

namespace evo::report {

/// {"count", "index": [...], "template": {"values": [...], "of": [...]}, ...}: docs/reference/json.md has the
/// keys. Row i of every column belongs to the same trial.
[[nodiscard]] boost::json::object columns_of(const std::vector<engine::TrialRecord>& trials);

/// [{"trial", "items": evidence}] of the failed trials; of each way to fail the first ones where there are
/// many, and `left_out` counts the others.
[[nodiscard]] boost::json::array evidence_of(const std::vector<engine::TrialRecord>& trials,
                                             std::int64_t& left_out);

/// Where trials ended: [{"gate", "reached", "passed", "failed": [{"status", "reason", "count"}]}] in the
/// ladder's order, from "proposed" (all; those that are known already end there) to "better" (those that
/// became champion).
[[nodiscard]] boost::json::array funnel_of(const std::vector<engine::TrialRecord>& trials);

}  // namespace evo::report
