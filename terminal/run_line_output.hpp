// What `evo runs` prints of a run.
#pragma once

#include <string>

#include <boost/json/object.hpp>

namespace evo::terminal {

/// Two lines of what report::run_line() says of a run: its folder, then its state, age, champion and how it
/// compares with the baseline; one line where it cannot be read.
[[nodiscard]] std::string run_line_text(const boost::json::object& line);

}  // namespace evo::terminal
