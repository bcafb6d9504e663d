#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "evaluators/measure/statistics.hpp"

namespace evo::evaluators::measure {
namespace {

struct Ranks {
  std::vector<double> values;  ///< from 1; tied values share their mean rank
  double tie_term = 0;         ///< sum of t^3 - t over groups of t tied values
};

Ranks rank(std::span<const double> samples) {
  std::vector<std::size_t> order(samples.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return samples[a] < samples[b]; });
  Ranks ranks;
  ranks.values.resize(samples.size());
  for (std::size_t begin = 0; begin < order.size();) {
    std::size_t end = begin + 1;
    while (end < order.size() && samples[order[end]] == samples[order[begin]]) ++end;
    const double shared = static_cast<double>(begin + end + 1) / 2;
    for (std::size_t i = begin; i < end; ++i) ranks.values[order[i]] = shared;
    const auto tied = static_cast<double>(end - begin);
    ranks.tie_term += tied * tied * tied - tied;
    begin = end;
  }
  return ranks;
}

}  // namespace

double spearman(std::span<const double> first, std::span<const double> second) {
  constexpr double nothing = std::numeric_limits<double>::quiet_NaN();
  if (first.size() != second.size() || first.size() < 2) return nothing;
  const Ranks a = rank(first);
  const Ranks b = rank(second);
  const double mean = static_cast<double>(first.size() + 1) / 2;
  double covariance = 0;
  double variance_a = 0;
  double variance_b = 0;
  for (std::size_t i = 0; i < first.size(); ++i) {
    covariance += (a.values[i] - mean) * (b.values[i] - mean);
    variance_a += (a.values[i] - mean) * (a.values[i] - mean);
    variance_b += (b.values[i] - mean) * (b.values[i] - mean);
  }
  if (variance_a == 0 || variance_b == 0) return nothing;
  return covariance / std::sqrt(variance_a * variance_b);
}

MannWhitney mann_whitney(std::span<const double> first, std::span<const double> second) {
  MannWhitney result;
  if (first.empty() || second.empty()) return result;
  std::vector<double> pooled(first.begin(), first.end());
  pooled.insert(pooled.end(), second.begin(), second.end());
  const Ranks ranks = rank(pooled);
  const auto m = static_cast<double>(first.size());
  const auto n = static_cast<double>(second.size());
  double rank_sum = 0;
  for (std::size_t i = 0; i < first.size(); ++i) rank_sum += ranks.values[i];
  result.u = rank_sum - m * (m + 1) / 2;
  const double total = m + n;
  const double variance = m * n / 12 * (total + 1 - ranks.tie_term / (total * (total - 1)));
  if (!(variance > 0)) return result;
  const double distance = std::max(std::abs(result.u - m * n / 2) - 0.5, 0.0);
  result.z = std::copysign(distance / std::sqrt(variance), result.u - m * n / 2);
  result.p = std::erfc(std::abs(result.z) / std::sqrt(2.0));
  return result;
}

}  // namespace evo::evaluators::measure
