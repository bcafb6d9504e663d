// A source as lines.
#pragma once

#include <string>
#include <vector>

namespace evo::diagnose {

[[nodiscard]] std::vector<std::string> lines_of(const std::string& text);

/// Without what stands behind //.
[[nodiscard]] std::string statement(const std::string& line);

}  // namespace evo::diagnose
