#include "bench/decision/sequential.hpp"

#include <cmath>
#include <numeric>

namespace evo::bench {
namespace {

namespace measure = evaluators::measure;

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// The logarithms of a load's rounds.
std::vector<double> load(Turns& turns, int rounds) {
  turns.load();
  std::vector<double> logs;
  for (int round = 0; round < rounds; ++round) {
    const auto [candidate, incumbent] = turns.round();
    logs.push_back(std::log(candidate / incumbent));
  }
  return logs;
}

void append(std::vector<double>& all, const std::vector<double>& more) {
  all.insert(all.end(), more.begin(), more.end());
}

bool look_independent(const std::vector<double>& logs, double deviations) {
  const double middle = mean(logs), n = static_cast<double>(logs.size());
  double steps = 0, squares = 0;
  for (std::size_t i = 0; i < logs.size(); ++i) {
    squares += (logs[i] - middle) * (logs[i] - middle);
    if (i > 0) steps += (logs[i] - logs[i - 1]) * (logs[i] - logs[i - 1]);
  }
  return steps / squares >= 2 - deviations * std::sqrt(4 * (n - 2) / (n * n - 1));
}

}  // namespace

Ended compare(Turns& turns, const Sequential& how, double margin) {
  const auto behind = [margin](const std::vector<double>& logs) { return std::exp(mean(logs)) > 1 - margin; };
  std::vector<double> logs, all;
  for (int k = 0; k < how.screening; ++k) append(all, load(turns, how.rounds_a_load));
  if (how.screening > 0 && behind(all)) return {false, false};
  all.clear();
  while (logs.size() < how.plan.last()) {
    const std::vector<double> rounds = load(turns, how.rounds_a_load);
    append(all, rounds);
    if (how.of_loads)
      logs.push_back(mean(rounds));
    else
      append(logs, rounds);
    if (static_cast<int>(all.size()) % how.hopeless == 0 && behind(all)) break;
    const auto seen = measure::look(how.plan, logs);
    if (!seen) continue;
    if (seen->interval[0] > 1 - margin) break;
    const bool faster = seen->interval[1] < 1 - margin;
    if (faster && (how.independent <= 0 || look_independent(logs, how.independent))) return {true, true};
  }
  return {false, true};
}

}  // namespace evo::bench
