// A profile as text and as JSON.
#pragma once

#include <string>

#include <boost/json.hpp>

#include "session/profile.hpp"

namespace evo::terminal {

/// Counters measured and modelled side by side, the stalls, the hottest source lines, and what limits each
/// kernel. `all`: every stall and line.
[[nodiscard]] std::string profile_text(const session::Profile& profile, bool all);
/// docs/reference/json.md has the keys.
[[nodiscard]] boost::json::object profile_to_json(const session::Profile& profile);

}  // namespace evo::terminal
