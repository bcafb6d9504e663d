#include "evaluators/oracle/root_mean_square.hpp"

#include <cmath>

namespace evo::evaluators::oracle {

double root_mean_square(const std::vector<double>& values) {
  double squares = 0;
  std::size_t finite = 0;
  for (const double value : values) {
    if (!std::isfinite(value)) continue;
    squares += value * value;
    ++finite;
  }
  return finite == 0 ? 0 : std::sqrt(squares / static_cast<double>(finite));
}

}  // namespace evo::evaluators::oracle
