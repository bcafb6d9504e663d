#include "evaluators/oracle/few_integers.hpp"

#include <algorithm>
#include <cmath>

#include "evaluators/oracle/elements.hpp"
#include "evaluators/oracle/layout.hpp"

namespace evo::evaluators::oracle {
namespace {

double squares_of(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value * value;
  return sum;
}

}  // namespace

bool hangs_on_few_integers(const model::Case& bound) {
  constexpr std::int64_t few = 8, small = 4096;
  bool has_few = false, floats = false;
  std::int64_t elements = 0;
  for (const model::BoundArgument& argument : bound.arguments) {
    if (argument.role == model::ArgumentRole::scalar) continue;
    const std::int64_t count = element_count(argument);
    elements += count;
    if (model::is_judged(argument.role)) floats = floats || is_floating(argument.dtype);
    if (argument.role == model::ArgumentRole::input && !is_floating(argument.dtype))
      has_few = has_few || (count > 0 && count <= few);
  }
  return has_few && floats && elements <= small;
}

std::vector<OutputErrors> larger_errors(const std::vector<OutputErrors>& errors,
                                        const ReferenceOutputs& outputs,
                                        const std::vector<OutputErrors>& other,
                                        const ReferenceOutputs& other_outputs) {
  std::vector<OutputErrors> larger = errors;
  for (std::size_t i = 0; i < larger.size() && i < other.size(); ++i) {
    const double here = squares_of(outputs[i]), there = squares_of(other_outputs[i]);
    if (!(here > 0) || !(there > 0)) continue;
    const double scale = std::min(1.0, std::sqrt(here / there));
    larger[i].rms = std::max(larger[i].rms, scale * other[i].rms);
    larger[i].largest = std::max(larger[i].largest, scale * other[i].largest);
  }
  return larger;
}

}  // namespace evo::evaluators::oracle
