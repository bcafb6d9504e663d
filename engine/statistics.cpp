#include "engine/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include <boost/math/distributions/students_t.hpp>

namespace evo::engine {

Moments moments(std::span<const double> values) {
  Moments result;
  result.n = static_cast<std::int64_t>(values.size());
  if (values.empty()) return result;
  for (const double value : values) result.mean += value;
  result.mean /= static_cast<double>(result.n);
  if (result.n < 2) return result;
  for (const double value : values) result.variance += (value - result.mean) * (value - result.mean);
  result.variance /= static_cast<double>(result.n - 1);
  return result;
}

double student_t_975(double degrees) {
  return boost::math::quantile(boost::math::students_t_distribution<double>(degrees), 0.975);
}

double welch_half_width(const Moments& a, const Moments& b) {
  const double va = a.variance / static_cast<double>(a.n);
  const double vb = b.variance / static_cast<double>(b.n);
  const double sum = va + vb;
  if (sum <= 0) return 0;  // no spread at all, e.g. modelled latencies of a gene that decides everything
  const double degrees =
      sum * sum / (va * va / static_cast<double>(a.n - 1) + vb * vb / static_cast<double>(b.n - 1));
  return student_t_975(degrees) * std::sqrt(sum);
}

double wilson_lower(std::int64_t count, std::int64_t of) {
  if (of == 0) return 0;
  constexpr double z = 1.959963984540054;
  const double n = static_cast<double>(of);
  const double rate = static_cast<double>(count) / n;
  const double centre = rate + z * z / (2 * n);
  const double spread = z * std::sqrt(rate * (1 - rate) / n + z * z / (4 * n * n));
  return (centre - spread) / (1 + z * z / n);
}

namespace {

/// Ranks from 1, ties share the mean of theirs.
std::vector<double> ranks_of(std::span<const double> values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  std::vector<double> ranks(values.size());
  for (std::size_t i = 0; i < order.size();) {
    std::size_t end = i + 1;
    while (end < order.size() && values[order[end]] == values[order[i]]) ++end;
    for (std::size_t k = i; k < end; ++k) ranks[order[k]] = static_cast<double>(i + end + 1) / 2;
    i = end;
  }
  return ranks;
}

}  // namespace

double rank_correlation(std::span<const double> first, std::span<const double> second) {
  if (first.size() < 2 || first.size() != second.size()) return 0;
  const std::vector<double> a = ranks_of(first), b = ranks_of(second);
  const double middle = static_cast<double>(a.size() + 1) / 2;
  double ab = 0, aa = 0, bb = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    ab += (a[i] - middle) * (b[i] - middle);
    aa += (a[i] - middle) * (a[i] - middle);
    bb += (b[i] - middle) * (b[i] - middle);
  }
  return aa > 0 && bb > 0 ? ab / std::sqrt(aa * bb) : 0;
}

}  // namespace evo::engine
