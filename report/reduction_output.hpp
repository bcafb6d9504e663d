// Which genes of a champion went back to their first values, as text and as JSON.
#pragma once

#include <optional>
#include <string>

#include <boost/json/value.hpp>

#include "session/reduction.hpp"

namespace evo::report {

/// A line or two; "" where nothing was to go back.
[[nodiscard]] std::string reduction_text(const std::optional<session::Reduction>& reduction);
/// docs/reference/json.md, `reduced`; null where nothing was to go back.
[[nodiscard]] boost::json::value reduction_json(const std::optional<session::Reduction>& reduction);

}  // namespace evo::report
