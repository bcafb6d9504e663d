// Bars with intervals, as a part of a picture.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "report/plots.hpp"

namespace evo::report {

struct Bar {
  std::string name;
  std::optional<double> value;
  std::optional<std::array<double, 2>> interval{};
  std::string note{};  ///< behind the value, or why there is none
  bool own = false;    ///< the one that the picture is about, in another colour
};

/// One below the other from 0 on, the longest as wide as the box allows.
[[nodiscard]] std::string bars_svg(const std::string& title, const std::string& unit,
                                   const std::vector<Bar>& bars, const PlotBox& box);
/// What so many of them need.
[[nodiscard]] double bars_height(std::size_t bars);

}  // namespace evo::report
