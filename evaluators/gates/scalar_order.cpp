#include "evaluators/gates/scalar_order.hpp"

#include <cmath>
#include <limits>

#include "evaluators/gates/unusual_scalars.hpp"

namespace evo::evaluators::gates {
namespace {

double number_in(const model::BoundArgument& scalar) {
  return model::is_floating(scalar.dtype) ? scalar.scalar_float : static_cast<double>(scalar.scalar_integer);
}

/// Can the scalar have another number, within a range that the problem declares?
bool may_go_along(const model::Argument& scalar) {
  if (scalar.role != model::ArgumentRole::scalar || !scalar.range || scalar.neutral || scalar.fixed)
    return false;
  return model::is_floating(scalar.dtype) ? scalar.scalar.form == model::ScalarValue::Form::number
                                          : may_be_another(scalar);
}

/// The last number of the type before the end of the range.
double last_within(const model::Argument& scalar, bool upwards) {
  const double end = upwards ? scalar.range->most : scalar.range->least;
  if (!model::is_floating(scalar.dtype)) return upwards ? std::floor(end) : std::ceil(end);
  if (scalar.dtype == model::DType::f64) return end;
  const auto near = static_cast<float>(end);
  if (scalar.range->has(static_cast<double>(near))) return static_cast<double>(near);
  constexpr float largest = std::numeric_limits<float>::max();
  return static_cast<double>(std::nextafter(near, upwards ? -largest : largest));
}

}  // namespace

std::map<std::size_t, double> in_order(const model::Problem& problem, const model::Case& bound,
                                       std::size_t scalar, double value) {
  std::map<std::size_t, double> values{{scalar, value}};
  const double usual = number_in(bound.arguments[scalar]);
  for (std::size_t i = 0; i < problem.arguments.size() && i < bound.arguments.size(); ++i) {
    if (i == scalar || !may_go_along(problem.arguments[i])) continue;
    // A place and a factor are no two ends of one thing.
    if (model::is_floating(bound.arguments[i].dtype) != model::is_floating(bound.arguments[scalar].dtype))
      continue;
    const double beside = number_in(bound.arguments[i]);
    const bool past = (usual < beside && value > beside) || (usual > beside && value < beside);
    if (!past) continue;
    const double end = last_within(problem.arguments[i], value > usual);
    if (std::isfinite(end)) values[i] = end;
  }
  return values;
}

}  // namespace evo::evaluators::gates
