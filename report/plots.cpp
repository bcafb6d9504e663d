#include "report/plots.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "report/svg.hpp"
#include "report/ticks.hpp"

namespace evo::report {
namespace {

constexpr int plot_colours = 6;
constexpr double plot_left = 76, plot_right = 14, plot_top = 44, plot_bottom = 58, legend_line = 22,
                 tallest_cell = 90, legend_letter = 9;

/// From a value to a place.
struct Scale {
  double low = 0, high = 1, from = 0, to = 1;
  bool log = false;

  [[nodiscard]] double operator()(double value) const {
    const double share = log ? std::log(value / low) / std::log(high / low) : (value - low) / (high - low);
    return from + share * (to - from);
  }
  [[nodiscard]] bool holds(double value) const {
    return std::isfinite(value) && value >= low * (1 - 1e-9) && value <= high * (1 + 1e-9);
  }
};

bool can_stand(double value, bool log) {
  return std::isfinite(value) && (!log || value > 0);
}

/// The ends of all values, with some room.
std::optional<std::array<double, 2>> ends_of(const std::vector<double>& values, bool log) {
  std::optional<std::array<double, 2>> ends;
  for (const double value : values) {
    if (!can_stand(value, log)) continue;
    if (!ends) ends = {value, value};
    (*ends)[0] = std::min((*ends)[0], value);
    (*ends)[1] = std::max((*ends)[1], value);
  }
  if (!ends) return ends;
  auto& [low, high] = *ends;
  if (log) {
    const double room = std::max(std::pow(high / low, 0.06), 1.25);
    low /= room;
    high *= room;
  } else {
    const double room = std::max(0.08 * (high - low), 0.05 * std::abs(high));
    low -= room;
    high += room > 0 ? room : 1;
  }
  return ends;
}

std::string path_of(const std::vector<std::array<double, 2>>& places) {
  std::string path;
  for (std::size_t i = 0; i < places.size(); ++i)
    path += fmt::format("{}{:.1f} {:.1f}", i == 0 ? "M" : "L", places[i][0], places[i][1]);
  return path;
}

class Drawing {
 public:
  Drawing(const Plot& plot, const PlotBox& box) : plot_(plot), box_(box) {}

  std::string svg() {
    put_text(svg_, box_.left, box_.top + 18, 22, "t", svg_text(plot_.title, 60), "font-weight=\"700\"");
    if (!make_scales()) {
      put_text(svg_, box_.left, box_.top + 60, 20, "d", "there is no number to draw");
      return svg_;
    }
    put_axes();
    put_roofs();
    if (plot_.reference && y_.holds(*plot_.reference))
      svg_ += fmt::format(
          "<path d=\"M{:.1f} {:.1f}H{:.1f}\" class=\"roof\" stroke-width=\"2\" stroke-dasharray=\"6 5\"/>\n",
          x_.from, y_(*plot_.reference), x_.to);
    for (std::size_t i = plot_.series.size(); i-- > 0;) put_series(plot_.series[i], i);
    put_legend();
    return svg_;
  }

 private:
  [[nodiscard]] std::vector<PlotPoint> points_of(const PlotSeries& series) const {
    std::vector<PlotPoint> points;
    for (const PlotPoint& point : series.points) {
      if (can_stand(point.x, plot_.log_x) && can_stand(point.y, plot_.log_y)) points.push_back(point);
    }
    return points;
  }

  bool make_scales() {
    std::vector<double> xs, ys;
    for (const PlotSeries& series : plot_.series) {
      for (const PlotPoint& point : points_of(series)) {
        xs.push_back(point.x);
        ys.push_back(point.y);
        if (point.interval) ys.insert(ys.end(), {(*point.interval)[0], (*point.interval)[1]});
      }
    }
    if (xs.empty()) return false;
    if (plot_.reference) ys.push_back(*plot_.reference);
    // The ridges, where slopes meet a flat roof, belong into the picture, and so does a stretch of each
    // slope.
    const double widest = *std::max_element(xs.begin(), xs.end());
    for (const Roof& flat : plot_.roofs) {
      if (flat.slopes || !(flat.rate > 0)) continue;
      ys.push_back(flat.rate);
      for (const Roof& slope : plot_.roofs) {
        if (slope.slopes && slope.rate > 0 && flat.rate / slope.rate < 1e4 * widest)
          xs.insert(xs.end(), {0.08 * flat.rate / slope.rate, 2 * flat.rate / slope.rate});
      }
    }
    const auto x = ends_of(xs, plot_.log_x), y = ends_of(ys, plot_.log_y);
    if (!x || !y) return false;
    const double legend = legend_line * static_cast<double>(legend_rows()) + 6;
    x_ = {(*x)[0], (*x)[1], box_.left + plot_left, box_.left + box_.width - plot_right, plot_.log_x};
    y_ = {(*y)[0], (*y)[1], box_.top + box_.height - plot_bottom - legend, box_.top + plot_top, plot_.log_y};
    return true;
  }

  /// As many names side by side as the longest one leaves room for; three at most.
  [[nodiscard]] std::size_t legend_columns() const {
    std::size_t longest = 1;
    for (const PlotSeries& series : plot_.series) longest = std::max(longest, series.name.size());
    const double width = box_.width - plot_left - plot_right;
    const double fit = width / (legend_letter * static_cast<double>(longest) + 40);
    const std::size_t wanted = plot_.series.size() == 4 ? 2 : 3;
    return std::clamp<std::size_t>(static_cast<std::size_t>(fit), 1, wanted);
  }
  [[nodiscard]] std::size_t legend_rows() const {
    return (plot_.series.size() + legend_columns() - 1) / legend_columns();
  }

  void put_axes() {
    std::vector<double> xs = ticks_between(x_.low, x_.high, x_.log);
    if (plot_.x_at_values) {
      std::set<double> values;
      for (const PlotSeries& series : plot_.series) {
        for (const PlotPoint& point : points_of(series)) values.insert(point.x);
      }
      xs.assign(values.begin(), values.end());
    }
    double free = x_.from - 1e9;
    for (const double x : xs) {
      const double at = x_(x);
      svg_ += fmt::format("<path d=\"M{0:.1f} {1:.1f}V{2:.1f}\" class=\"line\"/>\n", at, y_.from, y_.to);
      if (at < free) continue;
      const std::string text = short_number(x);
      put_text(svg_, at, y_.from + 22, 16, "d", text, "text-anchor=\"middle\"");
      free = at + 14 + 9.5 * static_cast<double>(text.size());
    }
    double above = y_.from + 1e9;
    for (const double y : ticks_between(y_.low, y_.high, y_.log)) {
      const double at = y_(y);
      svg_ += fmt::format("<path d=\"M{:.1f} {:.1f}H{:.1f}\" class=\"line\"/>\n", x_.from, at, x_.to);
      if (at > above) continue;
      put_text(svg_, x_.from - 8, at + 5, 16, "d", short_number(y), "text-anchor=\"end\"");
      above = at - 20;
    }
    put_text(svg_, (x_.from + x_.to) / 2, y_.from + 46, 18, "d", svg_text(plot_.x_name, 60),
             "text-anchor=\"middle\"");
    put_text(svg_, x_.from, box_.top + plot_top - 6, 16, "d", svg_text(plot_.y_name, 60));
  }

  void put_roofs() {
    double lowest_flat = 0;
    for (const Roof& roof : plot_.roofs) {
      if (!roof.slopes && roof.rate > 0)
        lowest_flat = lowest_flat > 0 ? std::min(lowest_flat, roof.rate) : roof.rate;
    }
    double name_y = 0;
    for (const Roof& roof : plot_.roofs) {
      if (!(roof.rate > 0)) continue;
      double x0 = x_.low, x1 = x_.high;
      const auto y_at = [&](double x) { return roof.slopes ? roof.rate * x : roof.rate; };
      if (roof.slopes) {
        x0 = std::max(x0, y_.low / roof.rate);
        x1 = std::min({x1, y_.high / roof.rate, lowest_flat > 0 ? lowest_flat / roof.rate : x1});
      }
      if (!(x1 > x0) || !y_.holds(y_at(x0)) || !y_.holds(y_at(x1))) continue;
      svg_ += fmt::format(
          "<path d=\"M{:.1f} {:.1f}L{:.1f} {:.1f}\" class=\"roof\" stroke-width=\"2.5\" fill=\"none\"/>\n",
          x_(x0), y_(y_at(x0)), x_(x1), y_(y_at(x1)));
      if (!roof.slopes) {
        put_text(svg_, x_.to - 4, y_(roof.rate) - 8, 16, "t", svg_text(roof.name, 40), "text-anchor=\"end\"");
        continue;
      }
      // Along the slope, the names of several one below the other.
      const double x = x_(x0) + 0.08 * (x_(x1) - x_(x0));
      double y = y_(y_at(x0)) + 0.08 * (y_(y_at(x1)) - y_(y_at(x0)));
      if (name_y > 0 && std::abs(y - name_y) < 20) y = name_y + 20;
      name_y = y;
      const double angle = std::atan2(y_(y_at(x1)) - y_(y_at(x0)), x_(x1) - x_(x0)) * 57.29577951308232;
      put_text(svg_, x, y - 8, 16, "t", svg_text(roof.name, 40),
               fmt::format("transform=\"rotate({:.1f} {:.1f} {:.1f})\"", angle, x, y - 8).c_str());
    }
  }

  void put_series(const PlotSeries& series, std::size_t index) {
    const std::vector<PlotPoint> points = points_of(series);
    if (points.empty()) return;
    const std::size_t colour = index % plot_colours;
    std::vector<std::array<double, 2>> line, upper, lower;
    for (const PlotPoint& point : points) {
      line.push_back({x_(point.x), y_(point.y)});
      const auto ends = point.interval.value_or(std::array{point.y, point.y});
      upper.push_back({x_(point.x), y_(std::min(ends[1], y_.high))});
      lower.push_back({x_(point.x), y_(std::max(ends[0], y_.low))});
    }
    if (plot_.lines && points.size() > 1) {
      std::vector<std::array<double, 2>> band = upper;
      band.insert(band.end(), lower.rbegin(), lower.rend());
      svg_ += fmt::format(
          "<path d=\"{}Z\" class=\"s{}\" fill-opacity=\"0.22\" stroke=\"none\" style=\"stroke:none\"/>\n",
          path_of(band), colour);
      svg_ += fmt::format("<path d=\"{}\" class=\"s{}\" style=\"fill:none\" stroke-width=\"2.5\"/>\n",
                          path_of(line), colour);
    }
    for (std::size_t i = 0; i < points.size(); ++i) {
      // Where points are not joined, those of the first series stand inside of others at the same place.
      const bool ring = !plot_.lines && index > 0;
      if (points[i].interval && lower[i][1] - upper[i][1] > (ring ? 14 : 9))
        svg_ += fmt::format("<path d=\"M{:.1f} {:.1f}V{:.1f}\" class=\"s{}\" stroke-width=\"2\"/>\n",
                            line[i][0], upper[i][1], lower[i][1], colour);
      svg_ += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\" class=\"s{}\" {}/>\n", line[i][0],
                          line[i][1], ring ? "6.5" : "4.5", colour,
                          ring ? "style=\"fill:none\" stroke-width=\"2\"" : "fill-opacity=\"0.85\"");
    }
  }

  void put_legend() {
    const std::size_t columns = legend_columns();
    const double step = (x_.to - x_.from) / static_cast<double>(columns);
    for (std::size_t i = 0; i < plot_.series.size(); ++i) {
      const std::size_t row = i / columns, column = i % columns;
      const double x = x_.from + step * static_cast<double>(column);
      const double y = y_.from + plot_bottom + legend_line * static_cast<double>(row) + 14;
      svg_ += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"6\" class=\"s{}\"/>\n", x + 6, y - 6,
                          i % plot_colours);
      put_text(
          svg_, x + 20, y, 17, "t",
          svg_text(plot_.series[i].name, static_cast<std::size_t>(std::max(step / legend_letter - 2, 6.0))));
    }
  }

  const Plot& plot_;
  PlotBox box_;
  Scale x_, y_;
  std::string svg_;
};

}  // namespace

std::string plot_svg(const Plot& plot, const PlotBox& box) {
  return Drawing(plot, box).svg();
}

std::string heat_map_svg(const HeatMap& map, const PlotBox& box) {
  std::string svg;
  put_text(svg, box.left, box.top + 18, 22, "t", svg_text(map.title, 60), "font-weight=\"700\"");
  if (map.columns.empty() || map.rows.empty()) return svg;
  const double left = box.left + plot_left, right = box.left + box.width - plot_right;
  const double top = box.top + plot_top, bottom = box.top + box.height - plot_bottom;
  const double width = (right - left) / static_cast<double>(map.columns.size());
  const double height = std::min((bottom - top) / static_cast<double>(map.rows.size()), tallest_cell);
  double farthest = 0;
  for (const auto& row : map.cells) {
    for (const HeatCell& cell : row) {
      if (cell.value && *cell.value > 0) farthest = std::max(farthest, std::abs(std::log(*cell.value)));
    }
  }
  put_text(svg, left, top - 6, 16, "d",
           svg_text(map.y_name.empty() ? map.x_name : map.y_name + " down, " + map.x_name + " across", 60));
  for (std::size_t r = 0; r < map.rows.size(); ++r) {
    const double y = top + height * static_cast<double>(r);
    put_text(svg, left - 8, y + height / 2 + 6, 16, "d", svg_text(map.rows[r], 9), "text-anchor=\"end\"");
    for (std::size_t c = 0; c < map.columns.size() && c < map.cells[r].size(); ++c) {
      const HeatCell& cell = map.cells[r][c];
      const double x = left + width * static_cast<double>(c);
      std::string look = "class=\"line\" fill=\"none\" stroke-dasharray=\"5 4\" stroke-width=\"2\"";
      if (cell.value && std::isfinite(*cell.value)) {
        const bool worse = map.diverging && *cell.value < 1;
        // Under 2 % all over, nothing is told apart.
        const double strength =
            map.diverging ? std::abs(std::log(std::max(*cell.value, 1e-12))) / std::max(farthest, 0.02)
                          : std::clamp(*cell.value, 0.0, 1.0);
        look = fmt::format("class=\"{}\" fill-opacity=\"{:.3f}\"", worse ? "worse" : "best",
                           0.06 + 0.5 * std::min(strength, 1.0));
      }
      svg += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" rx=\"4\" {}/>\n",
                         x + 2, y + 2, std::max(width - 4, 1.0), std::max(height - 4, 1.0), look);
      const double size = std::clamp(
          width / (0.78 * static_cast<double>(std::max<std::size_t>(cell.text.size(), 4))), 7.0, 18.0);
      put_text(svg, x + width / 2, y + height / 2 + size / 3, std::floor(size), "t", svg_text(cell.text, 16),
               "text-anchor=\"middle\"");
    }
  }
  const double below = top + height * static_cast<double>(map.rows.size());
  double free = left - 1e9;
  for (std::size_t c = 0; c < map.columns.size(); ++c) {
    const double x = left + width * (static_cast<double>(c) + 0.5);
    if (x < free) continue;
    put_text(svg, x, below + 22, 16, "d", svg_text(map.columns[c], 12), "text-anchor=\"middle\"");
    free = x + 14 + 9.5 * static_cast<double>(map.columns[c].size());
  }
  return svg;
}

double heat_map_height(const HeatMap& map, double most) {
  const double cells = most - plot_top - plot_bottom;
  const auto rows = static_cast<double>(std::max<std::size_t>(map.rows.size(), 1));
  return plot_top + plot_bottom + std::min(cells / rows, tallest_cell) * rows;
}

}  // namespace evo::report
