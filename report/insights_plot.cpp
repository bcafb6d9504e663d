#include "report/insights_plot.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "report/plots.hpp"
#include "report/svg.hpp"
#include "report/ticks.hpp"

namespace evo::report {
namespace {

constexpr double insights_width = 1200, insights_edge = 60, names_end = 430, values_begin = 930;
constexpr double effect_step = 34, effects_top = 210;
constexpr std::size_t most_effects = 24;

double percent_of(double log_effect) {
  return 100 * (std::exp(log_effect) - 1);
}

/// The strongest, the most helpful first.
std::vector<model::ValueEffect> shown_effects(const model::Insights& last) {
  std::vector<model::ValueEffect> effects = last.effects;
  std::erase_if(effects, [](const model::ValueEffect& effect) { return !std::isfinite(effect.effect); });
  std::stable_sort(effects.begin(), effects.end(), [](const auto& a, const auto& b) {
    if (a.significant() != b.significant()) return a.significant();
    return std::abs(a.effect) > std::abs(b.effect);
  });
  if (effects.size() > most_effects) effects.resize(most_effects);
  std::stable_sort(effects.begin(), effects.end(),
                   [](const auto& a, const auto& b) { return a.effect < b.effect; });
  return effects;
}

void put_effect(std::string& svg, const model::ValueEffect& effect, double y, double low, double high) {
  const auto at = [&](double percent) {
    return names_end + 20 +
           (values_begin - names_end - 40) * (std::clamp(percent, low, high) - low) / (high - low);
  };
  put_text(
      svg, names_end, y + 6, 18, "t",
      svg_text(fmt::format("{} {}={}", effect.template_name, effect.gene, model::to_string(effect.value)),
               38),
      "text-anchor=\"end\"");
  const bool sure = effect.significant();
  const char* look = !sure ? "bar" : effect.effect < 0 ? "s0" : "s2";
  if (std::isfinite(effect.ci95[0]) && std::isfinite(effect.ci95[1]))
    svg += fmt::format(
        "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"6\" rx=\"3\" class=\"{}\" "
        "fill-opacity=\"0.45\" "
        "style=\"stroke:none\"/>\n",
        at(percent_of(effect.ci95[0])), y - 3,
        at(percent_of(effect.ci95[1])) - at(percent_of(effect.ci95[0])), look);
  svg += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"6\" class=\"{}\"{}/>\n",
                     at(percent_of(effect.effect)), y, sure ? look : "roof",
                     sure ? "" : " style=\"fill:none\" stroke-width=\"2\"");
  put_text(svg, values_begin, y + 6, 17, sure ? "t" : "d",
           fmt::format("{:+.1f} % [{:+.1f}, {:+.1f}]", percent_of(effect.effect), percent_of(effect.ci95[0]),
                       percent_of(effect.ci95[1])));
}

}  // namespace

std::string insights_svg(const std::vector<model::Insights>& insights, const InsightsOf& of) {
  static const model::Insights none;
  const model::Insights& last = insights.empty() ? none : insights.back();
  const std::vector<model::ValueEffect> effects = shown_effects(last);
  const double bottom = effects_top + effect_step * static_cast<double>(effects.size());
  const double height = bottom + 110;
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
      "role=\"img\">\n<title>{2}</title>\n<style>{3}</style>\n<rect width=\"{0}\" height=\"{1}\" "
      "class=\"bg\"/>\n",
      insights_width, height, svg_text("evo insights: " + of.name, 120), svg_style);
  put_text(svg, insights_edge, 70, 34, "t", svg_text(of.name, 36), "font-weight=\"700\"");
  put_text(svg, insights_edge, 112, 22, "d", fmt::format("what {} trials say of the genes", last.trials));
  put_badge(svg, insights_width - insights_edge, of.latency_kind, of.where);
  put_text(svg, insights_edge, 160, 22, "t", "Effect of a gene's value on the latency",
           "font-weight=\"700\"");
  put_text(svg, insights_edge, 184, 16, "d",
           "against the mean of its template's proven trials, with 95 % interval; to the left: faster");
  if (effects.empty()) {
    put_text(svg, insights_edge, bottom + 20, 20, "d", "there is no effect to draw");
    return svg + "</svg>\n";
  }
  double low = 0, high = 0;
  for (const model::ValueEffect& effect : effects) {
    low = std::min(low, percent_of(effect.effect));
    high = std::max(high, percent_of(effect.effect));
  }
  // Intervals too, but for those that would leave no room for the rest.
  const double widest = 3 * (high - low);
  for (const model::ValueEffect& effect : effects) {
    const double from = percent_of(effect.ci95[0]), to = percent_of(effect.ci95[1]);
    if (!(to - from < widest)) continue;
    low = std::min(low, from);
    high = std::max(high, to);
  }
  const double room = std::max(0.05 * (high - low), 1.0);
  low -= room;
  high += room;
  const auto at = [&](double percent) {
    return names_end + 20 + (values_begin - names_end - 40) * (percent - low) / (high - low);
  };
  double free = names_end;
  for (const double tick : ticks_between(low, high, false)) {
    svg += fmt::format("<path d=\"M{0:.1f} {1}V{2:.1f}\" class=\"{3}\"/>\n", at(tick), effects_top - 14,
                       bottom, tick == 0 ? "roof" : "line");
    if (at(tick) < free) continue;
    put_text(svg, at(tick), bottom + 20, 16, "d", tick == 0 ? "0" : fmt::format("{:+g} %", tick),
             "text-anchor=\"middle\"");
    free = at(tick) + 76;
  }
  double y = effects_top;
  for (const model::ValueEffect& effect : effects) {
    put_effect(svg, effect, y, low, high);
    y += effect_step;
  }
  std::string said = "filled: the interval does not hold 0";
  if (effects.size() < last.effects.size())
    said += fmt::format("; {} weaker effects left out", last.effects.size() - effects.size());
  put_text(svg, insights_edge, height - 24, 18, "d", said);
  return svg + "</svg>\n";
}

}  // namespace evo::report
