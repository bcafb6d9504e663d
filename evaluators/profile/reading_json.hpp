// A reading of counters as JSON, for files and for people's programs.
#pragma once

#include <boost/json.hpp>

#include "model/counters.hpp"

namespace evo::evaluators::profile {

/// {"basis", "method", "device", "kernels": [{"workload", "kernel", "launches", "counters": {NAME: value},
/// "spread": {NAME: [lowest, highest]}, "limited_by", "limit", "lines": [{"file", "line",
/// "warp_instructions", "sectors", "bank_conflicts", "text"}]}]}; "spread" where several launches were
/// counted; "lines" of modelled ones only, the `most_lines` that are executed most.
[[nodiscard]] boost::json::object to_json(const model::CounterReading& reading, std::size_t most_lines);
/// Throws std::exception where it is none.
[[nodiscard]] model::CounterReading reading_from_json(const boost::json::value& value);

}  // namespace evo::evaluators::profile
