#include "report/bars.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "report/svg.hpp"

namespace evo::report {
namespace {

constexpr double bars_top = 44, bar_step = 40, bar_thick = 24, bar_names = 190, bar_numbers = 330;

std::string value_text(const Bar& bar) {
  const auto number = [](double value) {
    return fmt::format("{:.{}f}", value, value < 10 ? 3 : value < 100 ? 2 : value < 1000 ? 1 : 0);
  };
  std::string text = number(*bar.value);
  if (bar.interval) text += fmt::format(" [{}, {}]", number((*bar.interval)[0]), number((*bar.interval)[1]));
  return bar.note.empty() ? text : text + "  " + bar.note;
}

}  // namespace

double bars_height(std::size_t bars) {
  return bars_top + bar_step * static_cast<double>(bars) + 10;
}

std::string bars_svg(const std::string& title, const std::string& unit, const std::vector<Bar>& bars,
                     const PlotBox& box) {
  std::string svg;
  put_text(svg, box.left, box.top + 18, 22, "t", svg_text(title, 60), "font-weight=\"700\"");
  put_text(svg, box.left + box.width, box.top + 18, 16, "d", svg_text(unit, 40), "text-anchor=\"end\"");
  double longest = 0;
  for (const Bar& bar : bars) {
    if (!bar.value || !std::isfinite(*bar.value)) continue;
    longest = std::max({longest, *bar.value, bar.interval ? (*bar.interval)[1] : 0.0});
  }
  const double left = box.left + bar_names, width = std::max(box.width - bar_names - bar_numbers, 40.0);
  double y = box.top + bars_top;
  for (const Bar& bar : bars) {
    put_text(svg, left - 12, y + 18, 18, "t", svg_text(bar.name, 18), "text-anchor=\"end\"");
    if (!bar.value || !std::isfinite(*bar.value) || !(longest > 0)) {
      put_text(svg, left, y + 18, 16, "d", svg_text(bar.note, 90));
      y += bar_step;
      continue;
    }
    const auto at = [&](double value) { return left + width * value / longest; };
    svg += fmt::format(
        "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{}\" rx=\"4\" class=\"{}\"/>\n", left, y,
        std::max(at(*bar.value) - left, 1.0), bar_thick, bar.own ? "best" : "bar");
    if (bar.interval)
      svg += fmt::format("<path d=\"M{0:.1f} {2:.1f}V{3:.1f}M{1:.1f} {2:.1f}V{3:.1f}\" class=\"ci\"/>\n",
                         at((*bar.interval)[0]), at((*bar.interval)[1]), y + 3, y + bar_thick - 3);
    put_text(svg, left + width + 14, y + 18, 17, "t", svg_text(value_text(bar), 36));
    y += bar_step;
  }
  return svg;
}

}  // namespace evo::report
