// What a run learnt, as one screen of text, as Markdown, and as JSON.
#pragma once

#include <string>

#include <boost/json/object.hpp>

#include "session/insight_summary.hpp"

namespace evo::report {

/// Four parts: what worked, what did not, why, what to try next. `all`: also what would not fit one screen.
[[nodiscard]] std::string insight_screen(const session::InsightSummary& summary, bool all);
/// The same as tables.
[[nodiscard]] std::string insight_markdown(const session::InsightSummary& summary, bool all);
/// docs/reference/json.md
[[nodiscard]] boost::json::object insight_summary_json(const session::InsightSummary& summary);

}  // namespace evo::report
