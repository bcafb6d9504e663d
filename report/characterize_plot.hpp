// A kernel over a grid of shapes as one picture: roofline, heat map over two axes, speed-up by size.
#pragma once

#include <string>

#include "session/characterization.hpp"

namespace evo::report {

/// SVG without script, link or reference to anything outside. It says whether its numbers are measured or
/// modelled, and whose the ceilings are.
[[nodiscard]] std::string characterize_svg(const session::Characterization& found);

}  // namespace evo::report
