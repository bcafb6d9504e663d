// What `evo bench` measured side by side, as one picture.
#pragma once

#include <string>

#include "session/bench_report.hpp"

namespace evo::report {

/// SVG, bars with intervals for each workload (40 at most). It says whether they are measured or modelled.
[[nodiscard]] std::string bench_svg(const session::BenchReport& report);

}  // namespace evo::report
