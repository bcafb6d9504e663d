// A comparison of two kernels as text, Markdown and JSON.
#pragma once

#include <array>
#include <string>

#include <boost/json.hpp>

#include "session/comparison.hpp"

namespace evo::terminal {

[[nodiscard]] std::string compare_text(const std::array<session::Compared, 2>& sides,
                                       const session::Comparison& comparison);
/// For a comment in a pull request.
[[nodiscard]] std::string compare_markdown(const std::array<session::Compared, 2>& sides,
                                           const session::Comparison& comparison);
[[nodiscard]] boost::json::object compare_to_json(const std::array<session::Compared, 2>& sides,
                                                  const session::Comparison& comparison);

}  // namespace evo::terminal
