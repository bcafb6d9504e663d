// What `evo baseline save` prints.
#pragma once

#include <string>

#include <boost/json/object.hpp>

#include "session/baseline_file.hpp"

namespace evo::terminal {

/// Where `variant` was written to, then the median of each workload in microseconds and how many samples it
/// is of.
[[nodiscard]] std::string baseline_text(const session::StoredBaseline& baseline, const std::string& variant,
                                        const std::string& file);
/// {"file", "variant", "latency_kind", "device", "workloads": [{"name", "latency_us", "samples"}]}
[[nodiscard]] boost::json::object baseline_to_json(const session::StoredBaseline& baseline,
                                                   const std::string& variant, const std::string& file);

}  // namespace evo::terminal
