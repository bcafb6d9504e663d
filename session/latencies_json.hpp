// A variant's latencies in the details of an event.
#pragma once

#include <vector>

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>

#include "model/measurement.hpp"

namespace evo::session {

[[nodiscard]] boost::json::array latencies_json(const std::vector<model::WorkloadLatency>& latencies);
/// Throws std::exception for what the writer would not have written.
[[nodiscard]] std::vector<model::WorkloadLatency> latencies_of(const boost::json::value& list);

}  // namespace evo::session
