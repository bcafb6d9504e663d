#include "evaluators/measure/effect_size.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "evaluators/measure/statistics.hpp"

namespace evo::evaluators::measure {
namespace {

constexpr double undefined_value = std::numeric_limits<double>::quiet_NaN();

struct Spread {
  double mean = 0, squares = 0;
};

Spread spread_of(std::span<const double> samples) {
  Spread spread;
  for (const double value : samples) spread.mean += value / static_cast<double>(samples.size());
  for (const double value : samples) spread.squares += (value - spread.mean) * (value - spread.mean);
  return spread;
}

/// The best split of the sorted values in two by Otsu's criterion: the share of the variance that lies
/// between the two parts. A normal sample has 0.64, a uniform one 0.75.
bool is_bimodal(std::vector<double> values) {
  constexpr double between_clusters = 0.88;
  constexpr double smaller_share = 0.2;
  std::sort(values.begin(), values.end());
  const auto n = static_cast<double>(values.size());
  const Spread whole = spread_of(values);
  if (!(whole.squares > 0)) return false;
  double sum = 0, best = 0, share = 0;
  const double total = whole.mean * n;
  for (std::size_t i = 1; i < values.size(); ++i) {
    sum += values[i - 1];
    if (values[i] == values[i - 1]) continue;
    const auto below = static_cast<double>(i);
    const double distance = sum / below - (total - sum) / (n - below);
    const double between = below * (n - below) / n * distance * distance / whole.squares;
    if (between <= best) continue;
    best = between;
    share = std::min(below, n - below) / n;
  }
  return best > between_clusters && share >= smaller_share;
}

bool is_drifting(std::span<const double> samples) {
  constexpr double certain = 4;  // standard errors of a rank correlation of nothing
  std::vector<double> time(samples.size());
  std::iota(time.begin(), time.end(), 0.0);
  const double rho = spearman(time, samples);
  return std::abs(rho) * std::sqrt(static_cast<double>(samples.size() - 1)) > certain;
}

}  // namespace

double hedges_g(std::span<const double> first, std::span<const double> second) {
  if (first.size() < 2 || second.size() < 2) return undefined_value;
  const Spread a = spread_of(first), b = spread_of(second);
  const auto freedom = static_cast<double>(first.size() + second.size() - 2);
  const double difference = b.mean - a.mean;
  const double deviation = std::sqrt((a.squares + b.squares) / freedom);
  if (deviation == 0)
    return difference == 0 ? 0 : std::copysign(std::numeric_limits<double>::infinity(), difference);
  return difference / deviation * (1 - 3 / (4 * freedom - 1));
}

double cliffs_delta(std::span<const double> first, std::span<const double> second) {
  if (first.empty() || second.empty()) return undefined_value;
  const double pairs = static_cast<double>(first.size()) * static_cast<double>(second.size());
  return 2 * mann_whitney(second, first).u / pairs - 1;
}

std::vector<std::string> oddities(std::span<const double> samples) {
  constexpr std::size_t enough = 16;
  std::vector<std::string> found;
  if (samples.size() < enough) return found;
  std::vector<double> distinct(samples.begin(), samples.end());
  std::sort(distinct.begin(), distinct.end());
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  if (is_bimodal({samples.begin(), samples.end()})) found.emplace_back("bimodal");
  if (is_drifting(samples)) found.emplace_back("drifting");
  if (10 * distinct.size() < samples.size()) found.emplace_back("few_distinct");
  return found;
}

}  // namespace evo::evaluators::measure
