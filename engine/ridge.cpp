#include "engine/ridge.hpp"

#include <algorithm>
#include <cmath>

namespace evo::engine {
namespace {

/// Latencies that a model computes are exact; that nothing is surer than 0.01 % keeps the algebra sound.
constexpr double least_noise = 1e-4;
constexpr double level_weight = 1e-9;  // of levels: none, but for an empty column

/// Inverse of a symmetric positive definite matrix, by Cholesky's factor.
std::vector<double> inverse_of(std::vector<double> a, std::size_t n) {
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t k = 0; k < j; ++k) {
      const double factor = a[j * n + k];
      if (factor == 0) continue;
      for (std::size_t i = j; i < n; ++i) a[i * n + j] -= factor * a[i * n + k];
    }
    const double root = std::sqrt(std::max(a[j * n + j], 1e-300));
    for (std::size_t i = j; i < n; ++i) a[i * n + j] /= root;
  }
  std::vector<double> inverse(n * n, 0.0), column(n);
  for (std::size_t c = 0; c < n; ++c) {
    std::fill(column.begin(), column.end(), 0.0);
    for (std::size_t i = c; i < n; ++i) {
      double sum = i == c ? 1.0 : 0.0;
      for (std::size_t k = c; k < i; ++k) sum -= a[i * n + k] * column[k];
      column[i] = sum / a[i * n + i];
    }
    for (std::size_t i = n; i-- > 0;) {
      double sum = column[i];
      for (std::size_t k = i + 1; k < n; ++k) sum -= a[k * n + i] * inverse[k * n + c];
      inverse[i * n + c] = sum / a[i * n + i];
    }
  }
  return inverse;
}

}  // namespace

LinearFit fit_linear(const LinearData& data) {
  const std::size_t n = data.columns;
  std::vector<double> normal(n * n, 0.0), moments(n, 0.0);
  double mean = 0;
  for (const double value : data.y) mean += value / static_cast<double>(data.y.size());
  double squares = 0;
  for (std::size_t row = 0; row < data.rows.size(); ++row) {
    squares += (data.y[row] - mean) * (data.y[row] - mean);
    for (const std::size_t a : data.rows[row]) {
      moments[a] += data.y[row];
      for (const std::size_t b : data.rows[row]) normal[a * n + b] += 1;
    }
  }
  LinearFit fit;
  fit.noise = std::max(std::sqrt(squares / static_cast<double>(data.y.size())), least_noise);
  constexpr int rounds = 4;
  for (int round = 0; round < rounds; ++round) {
    const double weight = fit.noise * fit.noise / (effect_prior * effect_prior);
    std::vector<double> regular = normal;
    for (std::size_t j = 0; j < n; ++j) regular[j * n + j] += j < data.shrunk ? level_weight : weight;
    fit.inverse = inverse_of(std::move(regular), n);
    fit.coefficients.assign(n, 0.0);
    double used = 0;
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        fit.coefficients[i] += fit.inverse[i * n + j] * moments[j];
        used += fit.inverse[i * n + j] * normal[j * n + i];
      }
    }
    fit.residuals = data.y;
    double left = 0;
    for (std::size_t row = 0; row < data.rows.size(); ++row) {
      for (const std::size_t a : data.rows[row]) fit.residuals[row] -= fit.coefficients[a];
      left += fit.residuals[row] * fit.residuals[row];
    }
    fit.degrees = std::max(static_cast<double>(data.y.size()) - used, 1.0);
    fit.noise = std::max(std::sqrt(left / fit.degrees), least_noise);
  }
  fit.deviations.resize(n);
  for (std::size_t i = 0; i < n; ++i)
    fit.deviations[i] = fit.noise * std::sqrt(std::max(fit.inverse[i * n + i], 0.0));
  return fit;
}

}  // namespace evo::engine
