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

/// Looks that share the error.
struct Sequential {
  measure::LookPlan plan;  ///< numbers of samples
  int rounds_a_load = 4;
  bool of_loads = false;  ///< a sample is the mean of a load's rounds, not a round
  int hopeless = 4;       ///< rounds after which who shows no advantage is left, as gates/paired.cpp does
};

/// Ends when the interval says that it is faster by the margin, or that it is not.
bool sequential(Turns& turns, const Sequential& how, double margin) {
  std::vector<double> logs, all;
  while (logs.size() < how.plan.last()) {
    turns.load();
    double sum = 0;
    for (int round = 0; round < how.rounds_a_load; ++round) {
      const auto [candidate, incumbent] = turns.round();
      all.push_back(std::log(candidate / incumbent));
      sum += all.back();
      if (!how.of_loads) logs.push_back(all.back());
    }
    if (how.of_loads) logs.push_back(sum / how.rounds_a_load);
    const bool hopeless = static_cast<int>(all.size()) % how.hopeless == 0;
    if (hopeless && measure::ratio_interval(all, 0.5).ratio > 1 - margin) return false;
    const auto seen = measure::look(how.plan, logs);
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
  const auto looks = [&](const char* name, const Sequential& how) {
    return Rule{name, [=](Turns& turns) { return sequential(turns, how, margin); }};
  };
  return {
      looks("evo: looks at 8, 16, 32 loads", {{0.001, {8, 16, 32}}, 2, true}),
      looks("looks at 16, 32, 64 rounds", {{0.001, {16, 32, 64}}}),
      looks("looks at 4, 8, 16 loads of 4", {{0.001, {4, 8, 16}}, 4, true}),
      {"16 rounds, 99.9 %", [=](Turns& t) { return fixed(t, 16, 0.999, margin, true); }},
      {"fixed 64 rounds, 99.9 %", [=](Turns& t) { return fixed(t, 64, 0.999, margin, false); }},
      looks("looks at 8..64 rounds, 0.1 %", {{0.001, {8, 16, 32, 64}}}),
      {"mean of 7, unpaired", [=](Turns& t) { return unpaired(t, 7, false); }},
      {"minimum of 7, unpaired", [=](Turns& t) { return unpaired(t, 7, true); }},
  };
}

}  // namespace evo::bench
