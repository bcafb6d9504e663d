// A linear model whose coefficients are held near zero by a weak prior, so that what the data cannot tell
// apart gets wide intervals, not wild numbers.
#pragma once

#include <cstddef>
#include <vector>

namespace evo::engine {

/// A sum of indicator columns: which columns are 1 in a row. Columns from `shrunk` on have the prior; those
/// before it (levels) have none.
struct LinearData {
  std::size_t columns = 0, shrunk = 0;
  std::vector<std::vector<std::size_t>> rows;
  std::vector<double> y;
};

/// Standard deviation of the prior of a coefficient: on ln(latency), half of it is a factor of 1.3.
inline constexpr double effect_prior = 0.5;

struct LinearFit {
  std::vector<double> coefficients, deviations;  ///< posterior means and standard deviations
  std::vector<double> residuals;
  std::vector<double> inverse;  ///< of the regularised normal matrix, columns * columns
  double noise = 0;             ///< standard deviation of the residuals
  double degrees = 1;           ///< rows less the effective number of coefficients, at least 1
};

/// The normal matrix's Cholesky factor is formed once for each of a few rounds in which the noise, and with
/// it the weight of the prior, is estimated again. Needs a row and a column.
[[nodiscard]] LinearFit fit_linear(const LinearData& data);

}  // namespace evo::engine
