#include "bench/decision/rules.hpp"

#include <algorithm>
#include <cmath>

#include "bench/decision/sequential.hpp"
#include "evaluators/measure/statistics.hpp"

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
    return Rule{name, [=](Turns& turns) { return compare(turns, how, margin).promoted; }};
  };
  return {
      looks("evo: screening, 8..64 loads", {{0.001, {8, 16, 32, 64}}, 2, true, 4, 2}),
      looks("looks at 8, 16, 32 loads", {{0.001, {8, 16, 32}}, 2, true}),
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
