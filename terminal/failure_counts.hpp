// How many trials failed, and of what: what there is to say where no gene's value explains it.
#pragma once

#include <string>
#include <vector>

#include <boost/json/array.hpp>

#include "engine/trial.hpp"

namespace evo::terminal {

/// [{"status": "wrong", "reason": "mismatch", "count": 4}], the most frequent first.
[[nodiscard]] boost::json::array failure_counts_json(const std::vector<engine::TrialRecord>& trials);
/// "10 of 36 trials failed: wrong (mismatch) 4, ..." with a newline; empty where none did.
[[nodiscard]] std::string failure_counts_text(const std::vector<engine::TrialRecord>& trials);

}  // namespace evo::terminal
