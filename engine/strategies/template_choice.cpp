#include "engine/strategies/template_choice.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "engine/statistics.hpp"

namespace evo::engine {
namespace {

/// In ln(latency): a template this far behind, beyond its allowance, has 1/e of the leader's chance.
constexpr double distance = 0.05;
/// After so many trials a template's allowance is as wide as its latencies are spread; after four times as
/// many it is half of that.
constexpr double fair_trials = 32;
/// The spread where fewer than two variants are correct.
constexpr double unknown_spread = 0.3;
/// What all templates share alike.
constexpr double for_all = 0.03;

struct Standing {
  double trials = 0;
  std::vector<double> latencies;  ///< ln(latency) of the correct variants
  double best = std::numeric_limits<double>::infinity();

  [[nodiscard]] double doubt() const {
    const double spread = latencies.size() < 2 ? unknown_spread : std::sqrt(moments(latencies).variance);
    return spread * std::sqrt(fair_trials / std::max(trials, 1.0));
  }
};

}  // namespace

std::vector<double> template_chances(const SearchSpace& space, std::span<const TrialRecord> visible) {
  std::vector<Standing> standings(space.templates.size());
  double best = std::numeric_limits<double>::infinity();
  for (const TrialRecord& trial : visible) {
    Standing& standing =
        standings[static_cast<std::size_t>(space.find(trial.template_name) - space.templates.data())];
    standing.trials += 1;
    const auto latency = trial.correct() ? trial.latency() : std::nullopt;
    if (!latency) continue;
    standing.latencies.push_back(std::log(latency->microseconds));
    standing.best = std::min(standing.best, standing.latencies.back());
    best = std::min(best, standing.best);
  }
  std::vector<double> chances;
  for (const Standing& standing : standings) {
    // Where nothing is correct yet there is only doubt.
    const double behind = std::isfinite(standing.best) ? standing.best - best : unknown_spread;
    chances.push_back(std::exp(-std::max(0.0, behind - standing.doubt()) / distance));
  }
  const double sum = std::accumulate(chances.begin(), chances.end(), 0.0);
  for (double& chance : chances)
    chance = (1 - for_all) * chance / sum + for_all / static_cast<double>(chances.size());
  return chances;
}

std::size_t draw_by_chance(std::span<const double> chances, model::RandomStream& random) {
  double at = random.uniform();
  std::size_t chosen = 0;
  while (chosen + 1 < chances.size() && at >= chances[chosen]) at -= chances[chosen++];
  return chosen;
}

}  // namespace evo::engine
