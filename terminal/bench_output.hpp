// The table and the JSON document of `evo bench`.
#pragma once

#include <string>

#include <boost/json.hpp>

#include "session/bench_report.hpp"

namespace evo::terminal {

[[nodiscard]] std::string bench_text(const session::BenchReport& report);
[[nodiscard]] boost::json::object bench_to_json(const session::BenchReport& report);

}  // namespace evo::terminal
