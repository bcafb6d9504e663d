#include "bench/decision/rules.hpp"

#include <algorithm>
#include <cmath>

#include "evaluators/measure/peeking.hpp"

namespace evo::bench {
namespace {

namespace measure = evaluators::measure;

constexpr int rounds_a_load = 4;

/// So many rounds, whatever they say; one interval at the end.
bool fixed(Turns& turns, int rounds, double confidence, double margin, bool gives_up) {
  std::vector<double> logs;
  for (int round = 0; round < rounds; ++round) {
    if (round % rounds_a_load == 0) {
      // No advantage so far, no more loads.
      if (gives_up && round > 0 && measure::ratio_interval(logs, confidence).ratio > 1 - margin) return false;
      turns.load();
    }
    const auto [candidate, incumbent] = turns.round();
    logs.push_back(std::log(candidate / incumbent));
  }
  return measure::ratio_interval(logs, confidence).interval[1] < 1 - margin;
}

/// Looks that share the error. The samples are rounds, or loads with the mean of their rounds. Ends when the
/// interval says that it is faster by the margin, or that it is not.
bool sequential(Turns& turns, const measure::LookPlan& plan, bool of_loads, double margin) {
  std::vector<double> logs;
  while (logs.size() < plan.last()) {
    turns.load();
    double sum = 0;
    for (int round = 0; round < rounds_a_load; ++round) {
      const auto [candidate, incumbent] = turns.round();
      const double log = std::log(candidate / incumbent);
      sum += log;
      if (!of_loads) logs.push_back(log);
    }
    if (of_loads) logs.push_back(sum / rounds_a_load);
    // As gates/paired.cpp: what shows no advantage after a load is hopeless.
    if (logs.size() >= 2 && measure::ratio_interval(logs, 0.5).ratio > 1 - margin) return false;
    const auto seen = measure::look(plan, logs);
    if (seen && seen->interval[1] < 1 - margin) return true;
    if (seen && seen->interval[0] > 1 - margin) return false;
  }
  return false;
}

/// Unpaired: each kernel alone, `runs` times, and the smaller figure wins.
bool unpaired(Turns& turns, int runs, bool minimum) {
  double candidate = 0, incumbent = 0;
  for (const bool first : {true, false}) {
    turns.load();
    double& figure = first ? candidate : incumbent;
    for (int run = 0; run < runs; ++run) {
      const double us = turns.alone(first);
      if (minimum)
        figure = run == 0 ? us : std::min(figure, us);
      else
        figure += us / runs;
    }
  }
  return candidate < incumbent;
}

}  // namespace

std::vector<Rule> rules(double margin) {
  const measure::LookPlan as_gates{0.001, {16, 32, 64}}, of_rounds{0.001, {8, 16, 32, 64}};
  const measure::LookPlan of_loads{0.01, {4, 6, 8, 12, 16}};
  return {
      {"evo: looks at 16, 32, 64 rounds", [=](Turns& t) { return sequential(t, as_gates, false, margin); }},
      {"16 rounds, 99.9 %", [=](Turns& t) { return fixed(t, 16, 0.999, margin, true); }},
      {"fixed 64 rounds, 99.9 %", [=](Turns& t) { return fixed(t, 64, 0.999, margin, false); }},
      {"looks at 8..64 rounds, 0.1 %", [=](Turns& t) { return sequential(t, of_rounds, false, margin); }},
      {"looks at 4..16 loads, 1 %", [=](Turns& t) { return sequential(t, of_loads, true, margin); }},
      {"mean of 7, unpaired", [=](Turns& t) { return unpaired(t, 7, false); }},
      {"minimum of 7, unpaired", [=](Turns& t) { return unpaired(t, 7, true); }},
  };
}

}  // namespace evo::bench
