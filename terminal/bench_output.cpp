#include "terminal/bench_output.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include <fmt/format.h>

#include "terminal/text_output.hpp"

namespace evo::terminal {
namespace {

namespace json = boost::json;
using evaluators::benchmark::Standing;
using evaluators::benchmark::Timed;

double tflops(double flops, double us) {
  return us > 0 ? flops / us * 1e-6 : 0;
}

bool is_own(const session::BenchReport& report, const std::string& contender) {
  return std::any_of(report.variants.begin(), report.variants.end(),
                     [&](const auto& variant) { return variant.first == contender; });
}

/// The fastest hot median among contenders that are not evo's; 0 without one.
double best_comparator(const session::BenchReport& report, const session::BenchCase& measured) {
  double best = std::numeric_limits<double>::infinity();
  for (const Standing& standing : measured.standings) {
    if (standing.contender == report.floor || is_own(report, standing.contender) || !standing.hot) continue;
    best = std::min(best, standing.hot->median_us);
  }
  return std::isinf(best) ? 0 : best;
}

std::string time_text(const std::optional<Timed>& timed) {
  if (!timed) return fmt::format("{:>33}", "-");
  return fmt::format("{:>9.3f} [{:>9.3f}, {:>9.3f}]", timed->median_us, timed->ci95[0], timed->ci95[1]);
}

std::string protocol_text(const session::BenchReport& report, const session::BenchCase& measured) {
  std::string text;
  const auto add = [&](const char* name, const std::optional<Timed> Standing::*place) {
    for (const Standing& standing : measured.standings) {
      const auto& timed = standing.*place;
      if (!timed || standing.contender == report.floor) continue;
      text += fmt::format("  {}: CUDA graph of {} launches over {} buffer set{}", name, timed->launches,
                          timed->sets, timed->sets == 1 ? "" : "s");
      return;
    }
  };
  add("hot", &Standing::hot);
  add("cold", &Standing::cold);
  return text.empty() ? text : text.substr(2) + "\n";
}

std::string case_text(const session::BenchReport& report, const session::BenchCase& measured) {
  std::string text = fmt::format("\n{}\n", measured.workload);
  if (!measured.skipped.empty()) return text + fmt::format("  not measured: {}\n", measured.skipped);
  text += fmt::format("  {:<12} {:>33} {:>33} {:>8} {:>9} {:>8} {:>9}\n", "", "hot us, median [95 %]",
                      "cold us, median [95 %]", "TFLOP/s", "samples", "error", "x best");
  const double best = best_comparator(report, measured);
  for (const Standing& s : measured.standings) {
    if (!s.hot) {
      text += fmt::format("  {:<12} not available: {}\n", s.contender, s.unavailable);
      continue;
    }
    const bool floor = s.contender == report.floor;
    text += fmt::format("  {:<12} {} {} {:>8} {:>9} {:>8} {:>9}\n", s.contender, time_text(s.hot),
                        time_text(s.cold),
                        floor ? "-" : fmt::format("{:.1f}", tflops(measured.flops, s.hot->median_us)),
                        s.hot->samples_us.size() + (s.cold ? s.cold->samples_us.size() : 0),
                        s.check ? fmt::format("{:.1e}", s.check->relative_frobenius) : "-",
                        best > 0 && !floor ? fmt::format("{:.2f}", best / s.hot->median_us) : "-");
    if (!s.unavailable.empty()) text += fmt::format("  {:<12} then failed: {}\n", "", s.unavailable);
  }
  text += "  " + protocol_text(report, measured);
  for (const Standing& s : measured.standings) {
    if (s.method.empty() || s.contender == report.floor) continue;
    text += fmt::format("  {}: {}\n", s.contender, s.method);
    break;
  }
  for (const Standing& s : measured.standings) {
    if (!s.check || s.check->scope == "all of it") continue;
    text += fmt::format("  outputs checked: {}\n", s.check->scope);
    break;
  }
  return text;
}

/// One row a shape, one column a contender.
std::string sweep_text(const session::BenchReport& report) {
  std::vector<std::string> columns;
  for (const session::BenchCase& measured : report.cases) {
    if (!measured.sweep) continue;
    for (const Standing& s : measured.standings) {
      if (s.contender != report.floor &&
          std::find(columns.begin(), columns.end(), s.contender) == columns.end())
        columns.push_back(s.contender);
    }
  }
  std::string text = "\nTFLOP/s by the problem's work model, hot, median; 16384 tokens, hidden size 2048\n";
  text += fmt::format("{:<18}", "");
  for (const std::string& column : columns) text += fmt::format(" {:>16}", column);
  text += '\n';
  std::set<std::string> reasons;
  for (const session::BenchCase& measured : report.cases) {
    if (!measured.sweep) continue;
    text += fmt::format("{:<18}", measured.workload);
    for (const std::string& column : columns) {
      const auto found = std::find_if(measured.standings.begin(), measured.standings.end(),
                                      [&](const Standing& s) { return s.contender == column; });
      const bool timed = found != measured.standings.end() && found->hot;
      text += fmt::format(" {:>16}",
                          timed ? fmt::format("{:.1f}", tflops(measured.flops, found->hot->median_us)) : "-");
      if (!timed && found != measured.standings.end())
        reasons.insert(fmt::format("{} {}: {}", measured.workload, column, found->unavailable));
    }
    text += '\n';
    if (!measured.skipped.empty()) reasons.insert(measured.workload + ": " + measured.skipped);
  }
  for (const std::string& reason : reasons) text += fmt::format("  {}\n", reason);
  return text;
}

json::value timed_to_json(const std::optional<Timed>& timed, double flops) {
  if (!timed) return nullptr;
  return json::object{{"latency_us", timed->median_us},      {"ci95", {timed->ci95[0], timed->ci95[1]}},
                      {"samples", timed->samples_us.size()}, {"launches", timed->launches},
                      {"buffer_sets", timed->sets},          {"tflops", tflops(flops, timed->median_us)}};
}

json::object standing_to_json(const session::BenchReport& report, const session::BenchCase& measured,
                              const Standing& s) {
  const bool floor = s.contender == report.floor;
  const double best = best_comparator(report, measured);
  json::value check = nullptr;
  if (s.check) {
    check = {{"pass", s.check->pass},
             {"relative_frobenius", s.check->relative_frobenius},
             {"max_abs_over_rms", s.check->max_abs_over_rms},
             {"scope", s.check->scope}};
  }
  return {
      {"contender", s.contender},
      {"check", std::move(check)},
      {"hot", timed_to_json(s.hot, floor ? 0 : measured.flops)},
      {"cold", timed_to_json(s.cold, floor ? 0 : measured.flops)},
      {"speedup", best > 0 && s.hot && !floor ? json::value(best / s.hot->median_us) : json::value(nullptr)},
      {"method", s.method},
      {"unavailable", s.unavailable.empty() ? json::value(nullptr) : json::value(s.unavailable)}};
}

}  // namespace

std::string bench_text(const session::BenchReport& report) {
  std::string text = fmt::format("device     {} ({}){}, target {}\n", report.device_name, report.device_kind,
                                 report.driver.empty() ? "" : ", driver " + report.driver, report.target);
  if (!report.toolchain.empty()) text += fmt::format("compiler   {}\n", report.toolchain);
  for (const auto& [label, id] : report.variants) text += fmt::format("{:<10} {}\n", label, id);
  for (const session::BenchComparator& comparator : report.comparators) {
    text += fmt::format("comparator {}{}\n", comparator.name,
                        comparator.unavailable.empty() ? "" : ": not available: " + comparator.unavailable);
  }
  if (!report.modelled.empty()) {
    text += "\nmodelled latencies: no device measured anything, and libraries are not modelled\n";
    for (const session::BenchModelled& row : report.modelled) {
      if (!row.unavailable.empty())
        text += fmt::format("  {:<12} not available: {}\n", row.contender, row.unavailable);
      for (const model::WorkloadLatency& workload : row.latencies)
        text += fmt::format("  {:<12} {:<16} {}\n", row.contender, workload.workload,
                            latency_text(workload.latency));
    }
  }
  bool sweep = false;
  for (const session::BenchCase& measured : report.cases) {
    sweep = sweep || measured.sweep;
    if (!measured.sweep) text += case_text(report, measured);
  }
  if (sweep) text += sweep_text(report);
  if (!report.cases.empty()) {
    text +=
        "\nmeasured side by side in this call, in interleaved rounds; error: relative Frobenius error "
        "against the\n"
        "fp64 reference; x best: the fastest comparator's hot median over this one's\n";
  }
  return text;
}

json::object bench_to_json(const session::BenchReport& report) {
  json::array variants, comparators, cases, modelled;
  for (const auto& [label, id] : report.variants) variants.push_back({{"contender", label}, {"variant", id}});
  for (const session::BenchComparator& comparator : report.comparators) {
    comparators.push_back({{"name", comparator.name},
                           {"available", comparator.unavailable.empty()},
                           {"reason", comparator.unavailable}});
  }
  for (const session::BenchCase& measured : report.cases) {
    json::array standings;
    for (const Standing& s : measured.standings) standings.push_back(standing_to_json(report, measured, s));
    cases.push_back({{"workload", measured.workload},
                     {"sweep", measured.sweep},
                     {"flops", measured.flops},
                     {"bytes", measured.bytes},
                     {"skipped", measured.skipped},
                     {"contenders", std::move(standings)}});
  }
  for (const session::BenchModelled& row : report.modelled) {
    json::array workloads;
    for (const model::WorkloadLatency& w : row.latencies)
      workloads.push_back({{"name", w.workload}, {"latency_us", w.latency.microseconds}});
    modelled.push_back(
        {{"contender", row.contender},
         {"workloads", std::move(workloads)},
         {"unavailable", row.unavailable.empty() ? json::value(nullptr) : json::value(row.unavailable)}});
  }
  return {{"run", report.run.empty() ? json::value(nullptr) : json::value(report.run)},
          {"experiment", report.experiment},
          {"device",
           {{"kind", report.device_kind},
            {"name", report.device_name},
            {"driver", report.driver},
            {"uuid", report.uuid},
            {"l2_bytes", report.l2_bytes}}},
          {"target", report.target},
          {"latency_kind", report.device_kind == "virtual" ? "modelled" : "measured"},
          {"toolchain", report.toolchain},
          {"variants", std::move(variants)},
          {"comparators", std::move(comparators)},
          {"cases", std::move(cases)},
          {"modelled", std::move(modelled)}};
}

}  // namespace evo::terminal
