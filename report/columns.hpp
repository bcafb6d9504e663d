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

}  // namespace evo::report
