#include "terminal/compare_output.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "evaluators/measure/effect_size.hpp"
#include "evaluators/measure/statistics.hpp"
#include "report/timing_output.hpp"
#include "terminal/json_output.hpp"

namespace evo::terminal {
namespace {

namespace json = boost::json;
namespace measure = evaluators::measure;
using session::Compared;
using session::ComparedWorkload;
using session::Comparison;

std::string verdict_of(const Comparison& comparison) {
  return comparison.refused ? "not_valid" : std::string(session::name_of(comparison.change()));
}

std::string percent(double ratio) {
  return fmt::format("{:+.2f} %", 100 * (ratio - 1));
}

bool is_modelled(const Comparison& comparison) {
  return comparison.latency_kind == "modelled";
}

/// "+3.1 % [+2.9 %, +3.3 %]", or the ratio alone where it is exact.
std::string change_text(const Comparison& comparison, const ComparedWorkload& workload) {
  const measure::RatioInterval& ratio = workload.times.ratio;
  if (!std::isfinite(ratio.interval[0])) return "too few pairs";
  if (is_modelled(comparison)) return percent(ratio.ratio);
  return fmt::format("{} [{}, {}]", percent(ratio.ratio), percent(ratio.interval[0]),
                     percent(ratio.interval[1]));
}

std::string meaning_of(const Comparison& comparison) {
  if (comparison.refused)
    return fmt::format("{} is refused: {}", comparison.refused->side == 0 ? "A" : "B",
                       comparison.refused->reason);
  const double percents = 100 * comparison.threshold;
  switch (comparison.change()) {
    case session::Change::same:
      return fmt::format("B is as fast as A, within {:g} %", percents);
    case session::Change::improved:
      return fmt::format("B is faster than A by {:g} % or more", percents);
    case session::Change::regression:
      return fmt::format("B is slower than A by {:g} % or more", percents);
    case session::Change::undecided:
      break;
  }
  return fmt::format("the intervals are too wide to tell whether B is within {:g} % of A", percents);
}

std::string protocol_text(const Comparison& comparison) {
  if (is_modelled(comparison))
    return "modelled latencies of the virtual device: no device measured anything; exact, and no prediction "
           "of "
           "microseconds";
  return fmt::format(
      "measured in this call with a {} L2, in interleaved pairs of random order over fresh loads of both; "
      "intervals hold with {:.3g} %\nat every look together (median us of all pairs)",
      comparison.cache, 100 * comparison.confidence);
}

json::array words(const std::vector<std::string>& all) {
  json::array list;
  for (const std::string& word : all) list.emplace_back(word);
  return list;
}

json::value finite(double value) {
  return std::isfinite(value) ? json::value(value) : json::value(nullptr);
}

json::object side_to_json(const Compared& side) {
  return {{"given", side.given},
          {"kind", side.kind},
          {"problem", side.experiment.problem.name},
          {"template", side.variant.template_name},
          {"variant", side.variant.id},
          {"genes", genes_to_json(side.variant.genome)}};
}

json::object workload_to_json(const Comparison& comparison, const ComparedWorkload& workload) {
  const auto& times = workload.times;
  json::value interval = nullptr, statistics = nullptr;
  if (!is_modelled(comparison)) {
    if (std::isfinite(times.ratio.interval[0]))
      interval = json::array{times.ratio.interval[0], times.ratio.interval[1]};
    const measure::MannWhitney test = measure::mann_whitney(times.second_us, times.first_us);
    statistics = {{"hedges_g", finite(measure::hedges_g(times.first_us, times.second_us))},
                  {"cliffs_delta", finite(measure::cliffs_delta(times.first_us, times.second_us))},
                  {"mann_whitney", {{"u", test.u}, {"z", test.z}, {"p", test.p}}}};
  }
  return {{"name", times.workload},
          {"weight", times.weight},
          {"verdict", session::name_of(workload.change)},
          {"a_us", finite(measure::median(times.first_us))},
          {"b_us", finite(measure::median(times.second_us))},
          {"ratio", finite(times.ratio.ratio)},
          {"interval", std::move(interval)},
          {"pairs", times.first_us.size()},
          {"loads", times.load_logs.size()},
          {"statistics", std::move(statistics)},
          {"odd_a", words(measure::oddities(times.first_us))},
          {"odd_b", words(measure::oddities(times.second_us))},
          {"samples",
           {{"a_us", json::array(times.first_us.begin(), times.first_us.end())},
            {"b_us", json::array(times.second_us.begin(), times.second_us.end())}}}};
}

/// What is unusual about the samples, a line a side.
std::vector<std::string> remarks(const Comparison& comparison) {
  std::vector<std::string> lines = comparison.notes;
  for (const ComparedWorkload& workload : comparison.workloads) {
    for (const auto& [name, samples] :
         {std::pair{"A", &workload.times.first_us}, std::pair{"B", &workload.times.second_us}}) {
      for (const std::string& odd : measure::oddities(*samples))
        lines.push_back(fmt::format("{}: the samples of {} are {}", workload.times.workload, name, odd));
    }
  }
  return lines;
}

std::string escaped(std::string text) {
  for (std::size_t at = 0; (at = text.find_first_of("|\n", at)) != std::string::npos; at += 2)
    text.replace(at, 1, text[at] == '|' ? "\\|" : "; ");
  return text;
}

}  // namespace

std::string compare_text(const std::array<Compared, 2>& sides, const Comparison& comparison) {
  std::string text;
  for (std::size_t i = 0; i < sides.size(); ++i) {
    const Compared& side = sides[i];
    text += fmt::format("{}  {} ({}, template {}, variant {})\n", i == 0 ? 'A' : 'B', side.given, side.kind,
                        side.variant.template_name, side.variant.id);
  }
  text += fmt::format("on {} ({}){}, target {}\n", comparison.device_name, comparison.device_kind,
                      comparison.driver.empty() ? "" : ", driver " + comparison.driver,
                      sides[0].experiment.target.name);
  if (!comparison.workloads.empty()) {
    text += fmt::format("\n{:<20} {:>10} {:>10}  {:<34} {:>6}  {}\n", "", "A us", "B us", "B against A",
                        "pairs", "verdict");
    for (const ComparedWorkload& workload : comparison.workloads) {
      text += fmt::format("{:<20} {:>10.4g} {:>10.4g}  {:<34} {:>6}  {}\n", workload.times.workload,
                          measure::median(workload.times.first_us), measure::median(workload.times.second_us),
                          change_text(comparison, workload), workload.times.first_us.size(),
                          session::name_of(workload.change));
    }
    text += protocol_text(comparison) + "\n";
    for (const std::string& line : remarks(comparison)) text += "note: " + line + "\n";
  }
  return text + fmt::format("\n{}: {}\n", verdict_of(comparison), meaning_of(comparison));
}

std::string compare_markdown(const std::array<Compared, 2>& sides, const Comparison& comparison) {
  std::string text =
      fmt::format("### evo compare: {}\n\n{}.\n\n", verdict_of(comparison), meaning_of(comparison));
  text += fmt::format("A: `{}` (variant `{}`), B: `{}` (variant `{}`), {} on {}\n", sides[0].given,
                      sides[0].variant.id, sides[1].given, sides[1].variant.id, comparison.latency_kind,
                      comparison.device_name);
  if (comparison.workloads.empty()) return text;
  text += "\n| workload | A us | B us | B against A | pairs | verdict |\n|---|---:|---:|---|---:|---|\n";
  for (const ComparedWorkload& workload : comparison.workloads) {
    const auto& times = workload.times;
    text += fmt::format("| {} | {:.4g} | {:.4g} | {} | {} | {} |\n", escaped(times.workload),
                        measure::median(times.first_us), measure::median(times.second_us),
                        change_text(comparison, workload), times.first_us.size(),
                        session::name_of(workload.change));
  }
  for (const std::string& line : remarks(comparison)) text += fmt::format("\n- {}", escaped(line));
  return text + fmt::format("\n<sub>{}</sub>\n", escaped(protocol_text(comparison)));
}

json::object compare_to_json(const std::array<Compared, 2>& sides, const Comparison& comparison) {
  json::array workloads;
  for (const ComparedWorkload& workload : comparison.workloads)
    workloads.push_back(workload_to_json(comparison, workload));
  json::value refused = nullptr;
  if (comparison.refused)
    refused = {{"side", comparison.refused->side == 0 ? "a" : "b"}, {"reason", comparison.refused->reason}};
  return {{"verdict", verdict_of(comparison)},
          {"exit_code", comparison.exit_code()},
          {"threshold", comparison.threshold},
          {"latency_kind", comparison.latency_kind},
          {"cache", comparison.cache.empty() ? json::value(nullptr) : json::value(comparison.cache)},
          {"confidence", comparison.confidence},
          {"device",
           {{"kind", comparison.device_kind},
            {"name", comparison.device_name},
            {"driver", comparison.driver},
            {"uuid", comparison.uuid}}},
          {"target", sides[0].experiment.target.name},
          {"toolchain", comparison.toolchain},
          {"a", side_to_json(sides[0])},
          {"b", side_to_json(sides[1])},
          {"workloads", std::move(workloads)},
          {"clocks", report::clocks_json(comparison.clocks)},
          {"refused", std::move(refused)},
          {"notes", words(comparison.notes)}};
}

}  // namespace evo::terminal
