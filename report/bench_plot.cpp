#include "report/bench_plot.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "report/bars.hpp"
#include "report/svg.hpp"

namespace evo::report {
namespace {

using evaluators::benchmark::Standing;

constexpr double bench_width = 1200, bench_edge = 60;
constexpr std::size_t most_cases = 40;

struct BarGroup {
  std::string title;
  std::vector<Bar> bars;
};

std::vector<BarGroup> measured_groups(const session::BenchReport& report) {
  const auto is_own = [&](const std::string& name) {
    return !report.variants.empty() && report.variants.front().first == name;
  };
  std::vector<BarGroup> groups;
  for (const session::BenchCase& measured : report.cases) {
    BarGroup& group = groups.emplace_back();
    group.title = measured.workload;
    if (!measured.skipped.empty()) group.bars.push_back({"", std::nullopt, {}, measured.skipped});
    for (const Standing& standing : measured.standings) {
      Bar& bar = group.bars.emplace_back();
      bar.name = standing.contender;
      bar.own = is_own(standing.contender);
      if (!standing.hot) {
        bar.note = standing.unavailable;
        continue;
      }
      bar.value = standing.hot->median_us;
      bar.interval = standing.hot->ci95;
      if (measured.flops > 0 && standing.contender != report.floor)
        bar.note = fmt::format("{:.1f} TFLOP/s", measured.flops / standing.hot->median_us * 1e-6);
    }
  }
  return groups;
}

std::vector<BarGroup> modelled_groups(const session::BenchReport& report) {
  std::vector<BarGroup> groups;
  const auto group_of = [&](const std::string& workload) -> BarGroup& {
    for (BarGroup& group : groups) {
      if (group.title == workload) return group;
    }
    return groups.emplace_back(BarGroup{workload, {}});
  };
  for (const session::BenchModelled& row : report.modelled) {
    for (const model::WorkloadLatency& workload : row.latencies)
      group_of(workload.workload)
          .bars.push_back(
              {row.contender, workload.latency.microseconds, {}, {}, &row == &report.modelled.front()});
    if (!row.unavailable.empty())
      group_of("refused").bars.push_back({row.contender, std::nullopt, {}, row.unavailable});
  }
  return groups;
}

}  // namespace

std::string bench_svg(const session::BenchReport& report) {
  const bool modelled = report.device_kind == "virtual";
  std::vector<BarGroup> groups = modelled ? modelled_groups(report) : measured_groups(report);
  const std::size_t left_out = groups.size() > most_cases ? groups.size() - most_cases : 0;
  groups.resize(groups.size() - left_out);
  std::string body;
  double y = 150;
  for (const BarGroup& group : groups) {
    const double height = bars_height(group.bars.size());
    body += bars_svg(group.title, modelled ? "modelled µs" : "hot µs, median [95 %]", group.bars,
                     {bench_edge, y, bench_width - 2 * bench_edge, height});
    y += height + 24;
  }
  std::vector<std::string> said;
  if (!modelled) said.emplace_back("timed side by side in one call, in interleaved rounds");
  for (const session::BenchComparator& comparator : report.comparators) {
    if (!comparator.unavailable.empty()) said.push_back(comparator.name + " took no part");
  }
  if (left_out > 0) said.push_back(fmt::format("{} workloads left out", left_out));
  const double height = y + 40;
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
      "role=\"img\">\n<title>{2}</title>\n<style>{3}</style>\n<rect width=\"{0}\" height=\"{1}\" "
      "class=\"bg\"/>\n",
      bench_width, height, svg_text("evo bench: " + report.experiment, 120), svg_style);
  put_text(svg, bench_edge, 70, 34, "t", svg_text(report.experiment, 36), "font-weight=\"700\"");
  put_text(svg, bench_edge, 112, 22, "d", svg_text(report.run.empty() ? "its baseline" : report.run, 58));
  put_badge(svg, bench_width - bench_edge, modelled ? "modelled" : "measured",
            modelled ? "for " + report.target + ": no GPU has timed this" : "on " + report.device_name);
  put_text(svg, bench_edge, height - 24, 18, "d", svg_text(fmt::format("{}", fmt::join(said, "; ")), 120));
  return svg + body + "</svg>\n";
}

}  // namespace evo::report
