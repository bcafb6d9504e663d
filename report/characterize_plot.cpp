#include "report/characterize_plot.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "report/plots.hpp"
#include "report/svg.hpp"
#include "report/ticks.hpp"

namespace evo::report {
namespace {

using session::Characterization;
using session::CharacterizedShape;
using session::ShapeFigure;

constexpr double picture_width = 1200, picture_edge = 60;
constexpr std::size_t most_maps = 4, most_series = 6;

bool is_timed(const CharacterizedShape& shape) {
  return shape.subject() != nullptr && shape.subject()->latency && shape.subject()->latency->microseconds > 0;
}

/// The contenders, the subject first.
std::vector<std::string> contenders_of(const Characterization& found) {
  std::vector<std::string> names{found.subject.label};
  for (const CharacterizedShape& shape : found.shapes) {
    for (const ShapeFigure& figure : shape.figures) {
      if (std::find(names.begin(), names.end(), figure.contender) == names.end())
        names.push_back(figure.contender);
    }
  }
  return names;
}

/// Axes with more than one value, by their place in the grid.
std::vector<std::size_t> wide_axes(const Characterization& found) {
  std::vector<std::size_t> wide;
  for (std::size_t i = 0; i < found.grid.size(); ++i) {
    if (found.grid[i].values.size() > 1) wide.push_back(i);
  }
  return wide;
}

/// What is not on `shown` axes: "batch=4, causal=1"; shapes with equal words belong together.
std::string rest_of(const Characterization& found, const CharacterizedShape& shape,
                    const std::vector<std::size_t>& shown) {
  std::vector<std::string> words;
  for (const std::size_t i : wide_axes(found)) {
    if (std::find(shown.begin(), shown.end(), i) == shown.end())
      words.push_back(fmt::format("{}={}", found.grid[i].name, shape.shape.at[i]));
  }
  return fmt::format("{}", fmt::join(words, ", "));
}

Plot roofline_plot(const Characterization& found) {
  Plot plot;
  plot.title = "Roofline";
  plot.x_name = "flops a byte, by the problem's work model";
  plot.y_name = "TFLOP/s";
  plot.log_x = plot.log_y = true;
  plot.lines = false;
  for (const char* memory : {"dram", "l2"}) {
    if (const double rate = found.ceilings.rate(memory); rate > 0)
      plot.roofs.push_back(
          {fmt::format("{} {} GB/s", memory, short_number(std::round(1e-9 * rate))), 1e-12 * rate, true});
  }
  if (const double rate = found.ceilings.rate(found.arithmetic); rate > 0)
    plot.roofs.push_back(
        {fmt::format("{} {} TFLOP/s", found.arithmetic, short_number(std::round(1e-11 * rate) / 10)),
         1e-12 * rate, false});
  for (const std::string& name : contenders_of(found)) {
    PlotSeries series{name, {}};
    for (const CharacterizedShape& shape : found.shapes) {
      const ShapeFigure* figure = shape.find(name);
      if (figure == nullptr || !figure->latency || !(shape.flops > 0) || !(shape.bytes > 0)) continue;
      PlotPoint point{shape.flops / shape.bytes, 1e-6 * shape.flops / figure->latency->microseconds};
      if (const auto& ci = figure->latency->ci95; ci && (*ci)[0] > 0)
        point.interval = {1e-6 * shape.flops / (*ci)[1], 1e-6 * shape.flops / (*ci)[0]};
      series.points.push_back(point);
    }
    if (!series.points.empty()) plot.series.push_back(std::move(series));
  }
  if (plot.series.size() > most_series) plot.series.resize(most_series);
  return plot;
}

HeatCell cell_of(const CharacterizedShape& shape, const std::string& against) {
  if (shape.refused) return {std::nullopt, "refused"};
  if (against.empty()) {
    if (!shape.share) return {std::nullopt, "-"};
    return {shape.share->share,
            fmt::format("{:.{}f} %", 100 * shape.share->share, shape.share->share < 0.0995 ? 1 : 0)};
  }
  const ShapeFigure* figure = shape.find(against);
  if (figure == nullptr || !figure->speedup) return {std::nullopt, "-"};
  return {figure->speedup->ratio, fmt::format("{:.2f}×", figure->speedup->ratio)};
}

/// The axis with the most values, the last of several.
std::size_t size_axis(const Characterization& found) {
  std::size_t longest = 0;
  for (const std::size_t i : wide_axes(found)) {
    if (found.grid[i].values.size() >= found.grid[longest].values.size() ||
        found.grid[longest].values.size() < 2)
      longest = i;
  }
  return longest;
}

/// The two axes with the most values, in the grid's order; equal where there is one.
std::pair<std::size_t, std::size_t> map_axes(const Characterization& found) {
  const std::size_t first = size_axis(found);
  std::size_t second = first;
  for (const std::size_t i : wide_axes(found)) {
    if (i != first && (second == first || found.grid[i].values.size() > found.grid[second].values.size()))
      second = i;
  }
  return std::minmax(first, second);
}

/// One map a combination of the axes that it does not show.
std::vector<HeatMap> heat_maps(const Characterization& found, const std::string& against,
                               std::size_t& left_out) {
  const std::vector<std::size_t> wide = wide_axes(found);
  std::vector<HeatMap> maps;
  if (wide.empty()) return maps;
  const auto [down, across] = map_axes(found);
  const std::vector<std::size_t> shown = wide.size() > 1 ? std::vector{down, across} : std::vector{across};
  std::vector<std::string> rests;
  for (const CharacterizedShape& shape : found.shapes) {
    const std::string rest = rest_of(found, shape, shown);
    auto at = static_cast<std::size_t>(std::find(rests.begin(), rests.end(), rest) - rests.begin());
    if (at == rests.size()) {
      rests.push_back(rest);
      if (rests.size() > most_maps) ++left_out;
    }
    if (at >= most_maps) continue;
    if (at == maps.size()) {
      HeatMap& map = maps.emplace_back();
      map.title = against.empty() ? "Share of the roofline" : "Times as fast as " + against;
      if (!rest.empty()) map.title += " at " + rest;
      map.diverging = !against.empty();
      map.x_name = found.grid[across].name;
      for (const std::int64_t value : found.grid[across].values) map.columns.push_back(std::to_string(value));
      if (wide.size() > 1) {
        map.y_name = found.grid[down].name;
        for (const std::int64_t value : found.grid[down].values) map.rows.push_back(std::to_string(value));
      } else {
        map.rows = {""};
      }
      map.cells.assign(map.rows.size(),
                       std::vector<HeatCell>(map.columns.size(), HeatCell{std::nullopt, ""}));
    }
    const auto index_on = [&](std::size_t axis) {
      const auto& values = found.grid[axis].values;
      return static_cast<std::size_t>(std::find(values.begin(), values.end(), shape.shape.at[axis]) -
                                      values.begin());
    };
    maps[at].cells[wide.size() > 1 ? index_on(down) : 0][index_on(across)] = cell_of(shape, against);
  }
  return maps;
}

/// Speed-up over `against` by the last axis; latency where there is nothing to hold it against.
Plot by_size(const Characterization& found, const std::vector<std::string>& against, std::size_t& left_out) {
  Plot plot;
  const std::vector<std::size_t> wide = wide_axes(found);
  const std::size_t axis = size_axis(found);
  plot.x_name = found.grid.empty() ? "" : found.grid[axis].name;
  plot.x_at_values = true;
  plot.log_x =
      !wide.empty() && *std::min_element(found.grid[axis].values.begin(), found.grid[axis].values.end()) > 0;
  if (against.empty()) {
    plot.title = "Latency by size";
    plot.y_name = found.latency_kind + " µs, with its 95 % interval";
    plot.log_y = true;
    if (found.latency_kind == "modelled") plot.y_name = "modelled µs";
  } else {
    plot.title = against.size() == 1 ? "Speed-up over " + against.front() + " by size" : "Speed-up by size";
    plot.y_name = "times as fast";
    if (found.latency_kind != "modelled") plot.y_name += ", 95 % interval of rounds in turn";
    plot.reference = 1;
  }
  const auto add = [&](const std::string& name, double x, const PlotPoint& point) {
    auto series = std::find_if(plot.series.begin(), plot.series.end(),
                               [&](const PlotSeries& each) { return each.name == name; });
    if (series == plot.series.end()) {
      plot.series.push_back({name, {}});
      series = plot.series.end() - 1;
    }
    series->points.push_back({x, point.y, point.interval});
  };
  for (const CharacterizedShape& shape : found.shapes) {
    if (!is_timed(shape) || shape.shape.at.empty()) continue;
    const auto x = static_cast<double>(shape.shape.at[axis]);
    const std::string rest = rest_of(found, shape, {axis});
    if (against.empty()) {
      const model::Latency& latency = *shape.subject()->latency;
      add(rest.empty() ? found.subject.label : rest, x, {x, latency.microseconds, latency.ci95});
    }
    for (const std::string& name : against) {
      const ShapeFigure* figure = shape.find(name);
      if (figure == nullptr || !figure->speedup) continue;
      const std::string over = "over " + name;
      add(rest.empty()         ? over
          : against.size() > 1 ? fmt::format("{}, {}", over, rest)
                               : rest,
          x, {x, figure->speedup->ratio, figure->speedup->interval});
    }
  }
  for (PlotSeries& series : plot.series) {
    std::sort(series.points.begin(), series.points.end(),
              [](const PlotPoint& a, const PlotPoint& b) { return a.x < b.x; });
  }
  if (plot.series.size() > most_series) {
    left_out += plot.series.size() - most_series;
    plot.series.resize(most_series);
  }
  if (!against.empty()) {
    double low = 1, high = 1;
    for (const PlotSeries& series : plot.series) {
      for (const PlotPoint& point : series.points) {
        low = std::min(low, point.y);
        high = std::max(high, point.y);
      }
    }
    plot.log_y = low > 0 && high / low > 8;
  }
  return plot;
}

/// What the subject is held against: those that have numbers, the baseline first.
std::vector<std::string> opponents_of(const Characterization& found) {
  std::vector<std::string> names;
  for (const session::Role role : {session::Role::baseline, session::Role::comparator}) {
    for (const CharacterizedShape& shape : found.shapes) {
      for (const ShapeFigure& figure : shape.figures) {
        if (figure.role == role && figure.speedup &&
            std::find(names.begin(), names.end(), figure.contender) == names.end())
          names.push_back(figure.contender);
      }
    }
  }
  return names;
}

/// Boxes from left to right, two in a row, or one over the whole width.
class Layout {
 public:
  explicit Layout(double top) : y_(top) {}
  PlotBox half(double height) {
    constexpr double gap = 40, width = (picture_width - 2 * picture_edge - gap) / 2;
    const PlotBox box{left_ ? picture_edge : picture_edge + width + gap, y_, width, height};
    row_ = std::max(row_, height);
    left_ = !left_;
    if (left_) next_row();
    return box;
  }
  PlotBox whole(double height) {
    if (!left_) next_row();
    const PlotBox box{picture_edge, y_, picture_width - 2 * picture_edge, height};
    row_ = height;
    next_row();
    return box;
  }
  /// Below all of them.
  double bottom() {
    if (row_ > 0) next_row();
    return y_;
  }

 private:
  void next_row() {
    y_ += row_ + 30;
    row_ = 0;
    left_ = true;
  }
  double y_, row_ = 0;
  bool left_ = true;
};

/// The maps: against each opponent, or of the share of the roofline; one a combination where there are more
/// than two axes.
std::vector<HeatMap> all_maps(const Characterization& found, const std::vector<std::string>& opponents,
                              std::size_t& left_out) {
  if (opponents.empty()) return heat_maps(found, {}, left_out);
  if (wide_axes(found).size() > 2) return heat_maps(found, opponents.front(), left_out);
  left_out = opponents.size() > most_maps ? opponents.size() - most_maps : 0;
  std::vector<HeatMap> maps;
  for (const std::string& name : opponents) {
    if (maps.size() == most_maps) break;
    for (HeatMap& map : heat_maps(found, name, left_out)) maps.push_back(std::move(map));
  }
  return maps;
}

}  // namespace

std::string characterize_svg(const Characterization& found) {
  const std::vector<std::string> opponents = opponents_of(found);
  constexpr double tall = 430;
  Layout layout(150);
  std::string body = plot_svg(roofline_plot(found), layout.half(tall));
  std::size_t maps_left_out = 0;
  for (const HeatMap& map : all_maps(found, opponents, maps_left_out))
    body += heat_map_svg(map, layout.half(heat_map_height(map, tall)));
  std::size_t left_out = 0;
  const std::size_t axes = wide_axes(found).size();
  if (axes == 1 || (axes > 1 && opponents.size() < 2)) {
    body += plot_svg(by_size(found, opponents, left_out), layout.whole(tall));
  } else if (axes > 1) {
    for (std::size_t i = 0; i < std::min(opponents.size(), most_maps); ++i)
      body += plot_svg(by_size(found, {opponents[i]}, left_out), layout.half(tall));
  }
  const double y = layout.bottom();
  const auto refused =
      std::count_if(found.shapes.begin(), found.shapes.end(),
                    [](const CharacterizedShape& shape) { return shape.refused.has_value(); });
  std::vector<std::string> said{fmt::format("{} shapes, {} refused", found.shapes.size(), refused),
                                found.ceilings.kind == "measured"
                                    ? "ceilings measured on " + found.ceilings.of
                                    : "ceilings: data of the target " + found.ceilings.of};
  if (maps_left_out > 0) said.push_back(fmt::format("{} maps left out", maps_left_out));
  if (left_out > 0) said.push_back(fmt::format("{} lines left out", left_out));
  if (!found.ceilings.rates.empty() && found.arithmetic.empty())
    said.emplace_back("no ceiling known for its arithmetic");
  const double height = y + 40;
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
      "role=\"img\">\n<title>{2}</title>\n<style>{3}</style>\n<rect width=\"{0}\" height=\"{1}\" "
      "class=\"bg\"/>\n",
      picture_width, height, svg_text("evo characterize: " + found.problem, 120), svg_style);
  put_text(svg, picture_edge, 70, 34, "t", svg_text(found.problem, 36), "font-weight=\"700\"");
  put_text(svg, picture_edge, 112, 22, "d",
           svg_text(fmt::format("{}: {} {}", found.subject.label, found.subject.template_name,
                                found.subject.variant),
                    58));
  put_badge(svg, picture_width - picture_edge, found.latency_kind,
            found.latency_kind == "measured" ? "on " + found.device_name
                                             : "for " + found.target + ": no GPU has timed this");
  put_text(svg, picture_edge, height - 24, 18, "d", svg_text(fmt::format("{}", fmt::join(said, "; ")), 120));
  return svg + body + "</svg>\n";
}

}  // namespace evo::report
