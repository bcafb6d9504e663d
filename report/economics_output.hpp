// Costs, gain for the cost and why the run ended, for people and for programs.
#pragma once

#include <string>

#include <boost/json/object.hpp>

#include "engine/economics.hpp"

namespace evo::report {

/// Two or three lines, each with its end.
[[nodiscard]] std::string economics_text(const engine::Economics& economics);
/// docs/reference/json.md, `economics`.
[[nodiscard]] boost::json::object economics_json(const engine::Economics& economics);

}  // namespace evo::report
