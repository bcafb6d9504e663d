// Plots as parts of a picture: they draw numbers that they are given, into a box.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace evo::report {

struct PlotBox {
  double left = 0, top = 0, width = 0, height = 0;  ///< title and axes' names included
};

struct PlotPoint {
  double x = 0, y = 0;
  std::optional<std::array<double, 2>> interval{};  ///< of y
};

struct PlotSeries {
  std::string name;
  std::vector<PlotPoint> points;  ///< x ascending
};

/// A line in a roofline: y = rate * x where it slopes (bytes a second), y = rate where not (operations).
struct Roof {
  std::string name;
  double rate = 0;
  bool slopes = false;
};

struct Plot {
  std::string title, x_name, y_name;
  bool log_x = false, log_y = false;
  std::vector<PlotSeries> series;     ///< six at most have a colour of their own
  bool lines = true;                  ///< points of a series are joined, intervals are a band
  std::vector<Roof> roofs{};          ///< in the units of x and y
  std::optional<double> reference{};  ///< a dashed horizontal line, e.g. 1
  bool x_at_values = false;           ///< ticks at the points' own x
};

/// What is not finite, or not positive on a logarithmic axis, is left out; without a point left, a sentence
/// stands in its place.
[[nodiscard]] std::string plot_svg(const Plot& plot, const PlotBox& box);

struct HeatCell {
  std::optional<double> value;
  std::string text;  ///< in the cell: the value, or the word for why there is none
};

struct HeatMap {
  std::string title, x_name;
  std::string y_name;  ///< empty: one row without a name
  std::vector<std::string> columns, rows;
  std::vector<std::vector<HeatCell>> cells;  ///< by row
  /// Diverges around 1 in logarithms (below: worse); otherwise from 0 to 1.
  bool diverging = false;
};

[[nodiscard]] std::string heat_map_svg(const HeatMap& map, const PlotBox& box);
/// What the map fills of a box that is `most` high.
[[nodiscard]] double heat_map_height(const HeatMap& map, double most);

}  // namespace evo::report
