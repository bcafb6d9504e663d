// What screening did in a run, as text and as JSON.
#pragma once

#include <string>

#include <boost/json/value.hpp>

#include "model/measurement.hpp"
#include "session/screen_report.hpp"

namespace evo::report {

/// A few lines; "" for a run that screened nothing. `kind`: of the run's own latencies.
[[nodiscard]] std::string screen_text(const std::optional<session::ScreenReport>& report,
                                      model::LatencyKind kind);
/// docs/reference/json.md; null for a run that screened nothing.
[[nodiscard]] boost::json::value screen_json(const std::optional<session::ScreenReport>& report);

}  // namespace evo::report
