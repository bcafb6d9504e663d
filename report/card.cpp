#include "report/card.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "report/svg.hpp"

namespace evo::report {
namespace {

namespace json = boost::json;

constexpr double card_width = 1200, card_edge = 60;
constexpr double chart_left = 640, chart_right = card_width - card_edge, chart_top = 180, chart_bottom = 400;

std::string word(const json::object& object, std::string_view key) {
  const json::value* value = object.if_contains(key);
  return value != nullptr && value->is_string() ? std::string(value->as_string()) : std::string();
}

std::optional<double> number(const json::value* value) {
  if (value == nullptr || !value->is_number()) return std::nullopt;
  return value->to_number<double>();
}

const json::object* object_in(const json::object& object, std::string_view key) {
  const json::value* value = object.if_contains(key);
  return value == nullptr ? nullptr : value->if_object();
}

std::optional<std::pair<double, double>> interval(const json::object& object, std::string_view key) {
  const json::value* value = object.if_contains(key);
  const json::array* ends = value == nullptr ? nullptr : value->if_array();
  if (ends == nullptr || ends->size() != 2) return std::nullopt;
  return std::pair{(*ends)[0].to_number<double>(), (*ends)[1].to_number<double>()};
}

/// As the page writes it: three digits below ten.
std::string times(double value) {
  return fmt::format("{:.{}f}×", value, value < 10 ? 3 : 2);
}

std::string seconds(double value) {
  if (value < 120) return fmt::format("{:.1f} s", value);
  return value < 7200 ? fmt::format("{:.1f} min", value / 60) : fmt::format("{:.1f} h", value / 3600);
}

void put_badge_of(std::string& svg, const json::object& run) {
  const std::string kind = word(run, "latency_kind");
  const json::object* device = object_in(run, "device");
  put_badge(svg, chart_right, kind,
            kind == "measured" ? "on " + (device ? word(*device, "name") : std::string())
                               : "for " + word(run, "target") + ": no GPU has timed this");
}

/// Champion and baseline with their intervals, from x = card_edge on.
void put_bars(std::string& svg, const json::object& run) {
  struct Bar {
    const char* name;
    double us;
    std::optional<std::pair<double, double>> ci95;
  };
  std::vector<Bar> bars;
  double longest = 0;
  for (const char* name : {"champion", "baseline"}) {
    const json::object* variant = object_in(run, name);
    const auto us = variant ? number(variant->if_contains("latency_us")) : std::nullopt;
    if (!us) continue;
    bars.push_back({name, *us, interval(*variant, "ci95")});
    longest = std::max({longest, *us, bars.back().ci95 ? bars.back().ci95->second : 0.0});
  }
  constexpr double left = card_edge, longest_bar = 500;
  double y = 330;
  for (const Bar& bar : bars) {
    const auto at = [&](double us) { return longest_bar * us / longest; };
    put_text(
        svg, left, y, 22, "t",
        fmt::format("{} {:.3f} µs{}", bar.name, bar.us,
                    bar.ci95 ? fmt::format(" [{:.3f}, {:.3f}]", bar.ci95->first, bar.ci95->second) : ""));
    svg += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{:.1f}\" height=\"26\" rx=\"4\" class=\"{}\"/>\n",
                       left, y + 10, at(bar.us), std::string_view(bar.name) == "champion" ? "best" : "bar");
    if (bar.ci95)
      svg += fmt::format("<path d=\"M{0:.1f} {2}V{3}M{1:.1f} {2}V{3}\" class=\"ci\"/>\n",
                         left + at(bar.ci95->first), left + at(bar.ci95->second), y + 14, y + 32);
    y += 80;
  }
}

/// Best so far over the trials, its height in logarithms.
void put_curve(std::string& svg, const json::object& run) {
  const json::object& columns = run.at("columns").as_object();
  const json::object& status = columns.at("status").as_object();
  const json::array& values = status.at("values").as_array();
  const json::array& of = status.at("of").as_array();
  const json::array& latencies = columns.at("latency_us").as_array();
  const json::array& index = columns.at("index").as_array();
  const double trials = run.at("trials").to_number<double>();
  std::vector<std::pair<double, double>> steps;  // trial, microseconds
  for (std::size_t row = 0; row < of.size(); ++row) {
    const auto state = std::string_view(values.at(of[row].to_number<std::size_t>()).as_string());
    if (state != "better" && (state != "proven" || !steps.empty())) continue;
    if (const auto us = number(&latencies.at(row)))
      steps.emplace_back(index.at(row).to_number<double>(), *us);
  }
  if (steps.empty()) {
    put_text(svg, chart_left, chart_top - 20, 22, "d", "no latency to draw");
    return;
  }
  put_text(svg, chart_left, chart_top - 20, 22, "d", "best so far, log scale");
  svg += fmt::format("<path d=\"M{0} {1}V{2}H{3}\" fill=\"none\" class=\"line\" stroke-width=\"2\"/>\n",
                     chart_left, chart_top, chart_bottom, chart_right);
  double low = steps.front().second, high = low;
  for (const auto& [trial, us] : steps) {
    low = std::min(low, us);
    high = std::max(high, us);
  }
  // Of all trials, also where the document lists some; of a damaged ledger indices go beyond their number.
  const double last = std::max({1.0, trials - 1, index.empty() ? 0 : index.back().to_number<double>()});
  const auto x = [&](double trial) { return chart_left + (chart_right - chart_left) * trial / last; };
  const auto y = [&](double us) {
    if (!(high > low)) return (chart_top + chart_bottom) / 2;
    return chart_top + 10 + (chart_bottom - chart_top - 20) * std::log(high / us) / std::log(high / low);
  };
  std::string path = fmt::format("M{:.1f} {:.1f}", x(steps.front().first), y(steps.front().second));
  for (std::size_t i = 1; i < steps.size(); ++i)
    path += fmt::format("H{:.1f}V{:.1f}", x(steps[i].first), y(steps[i].second));
  svg += fmt::format("<path d=\"{}H{:.1f}\" class=\"curve\"/>\n", path, x(last));
  put_text(svg, chart_right, chart_top - 20, 22, "t", fmt::format("{:.3f} to {:.3f} µs", high, low),
           "text-anchor=\"end\"");
  put_text(svg, chart_right, chart_bottom + 24, 18, "d",
           fmt::format("{:.0f} trial{}", trials, trials == 1 ? "" : "s"), "text-anchor=\"end\"");
}

/// How many of all trials passed each gate.
void put_funnel(std::string& svg, const json::object& run) {
  const json::array& stages = run.at("funnel").as_array();
  double all = 1;
  for (const json::value& stage : stages) all = std::max(all, stage.at("reached").to_number<double>());
  put_text(svg, card_edge, 505, 22, "d", "trials that passed each gate");
  const double step =
      (chart_right - card_edge) / static_cast<double>(std::max<std::size_t>(stages.size(), 1));
  double x = card_edge;
  for (const json::value& stage : stages) {
    const double passed = stage.at("passed").to_number<double>(), height = 46 * passed / all;
    svg += fmt::format(
        "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" rx=\"3\" class=\"{}\"/>\n", x,
        562 - height, step - 14, std::max(height, 1.0),
        stage.at("gate").as_string() == "better" ? "best" : "bar");
    put_text(svg, x, 583, 17, "t", svg_text(std::string(stage.at("gate").as_string()), 14));
    put_text(svg, x, 604, 17, "d", fmt::format("{:.0f}", passed));
    x += step;
  }
}

}  // namespace

std::string card_of(const json::object& run) {
  const json::object* environment = object_in(run, "environment");
  const std::string problem = environment ? word(*environment, "problem") : "";
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"1200\" height=\"675\" viewBox=\"0 0 1200 675\" "
      "role=\"img\">\n<title>{}</title>\n<style>{}</style>\n<rect width=\"1200\" height=\"675\" "
      "class=\"bg\"/>\n",
      svg_text("evo: " + word(run, "name"), 120), svg_style);
  put_text(svg, card_edge, 70, 34, "t", svg_text(problem.empty() ? word(run, "name") : problem, 30),
           "font-weight=\"700\"");
  put_text(svg, card_edge, 112, 22, "d", svg_text(word(run, "name"), 44));
  put_badge_of(svg, run);
  const json::object* gain = object_in(run, "gain");
  const auto speedup = gain ? number(gain->if_contains("speedup")) : std::nullopt;
  const json::object *champion = object_in(run, "champion"), *baseline = object_in(run, "baseline");
  const bool refused = word(run, "status") == "baseline_invalid";
  const bool none = champion && baseline && word(*champion, "variant") == word(*baseline, "variant");
  const std::string head = refused            ? "refused"
                           : !champion        ? "no champion"
                           : !baseline        ? "no baseline"
                           : none || !speedup ? "no gain"
                                              : times(*speedup);
  put_text(svg, card_edge, 222, 92, "t", head, "font-weight=\"700\"");
  if (refused || none) {
    put_text(svg, card_edge, 270, 24, "d",
             refused ? "the baseline is not correct: nothing was timed" : "the baseline is the champion");
  } else if (!champion || !baseline) {
    put_text(svg, card_edge, 270, 24, "d",
             champion ? "the baseline's trial cannot be read: there is nothing to compare with"
                      : "none yet, none stood, or its trial cannot be read");
  } else if (speedup) {
    std::string sure = "as fast as the baseline: " + word(*gain, "verdict");
    if (const auto ends = interval(*gain, "interval"))
      sure += fmt::format(" [{:.3f}, {:.3f}]", ends->first, ends->second);
    put_text(svg, card_edge, 270, 24, "d", svg_text(sure, 60));
  }
  put_bars(svg, run);
  put_curve(svg, run);
  put_funnel(svg, run);
  const double elapsed = number(run.if_contains("elapsed_seconds")).value_or(0),
               device = number(run.if_contains("device_seconds")).value_or(0);
  put_text(
      svg, card_edge, 640, 20, "d",
      svg_text(fmt::format("{} trial{} in {}, {} on the device; run {}; evo {}",
                           number(run.if_contains("trials")).value_or(0),
                           number(run.if_contains("trials")).value_or(0) == 1 ? "" : "s", seconds(elapsed),
                           seconds(device), word(run, "state"), environment ? word(*environment, "evo") : ""),
               90));
  put_text(svg, chart_right, 640, 16, "d",
           svg_text("lineage " + word(run, "lineage_sha256").substr(0, 16), 40), "text-anchor=\"end\"");
  return svg + "</svg>\n";
}

}  // namespace evo::report
