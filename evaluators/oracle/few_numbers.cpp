#include "evaluators/oracle/few_numbers.hpp"

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

std::int64_t elements_of(const model::Case& bound) {
  std::int64_t elements = 0;
  for (const model::BoundArgument& argument : bound.arguments)
    if (argument.role != model::ArgumentRole::scalar) elements += element_count(argument);
  return elements;
}

}  // namespace

bool is_of_few_numbers(const model::Case& bound, const model::BoundArgument& output) {
  constexpr std::int64_t few = 4, small = 16384;
  return model::is_judged(output.role) && is_floating(output.dtype) && element_count(output) <= few &&
         elements_of(bound) <= small;
}

bool are_as_large(const model::Case& bound, const ReferenceOutputs& outputs,
                  const ReferenceOutputs& other_outputs) {
  constexpr double most = 8 * 8;  // of squares
  for (std::size_t i = 0; i < outputs.size() && i < other_outputs.size(); ++i) {
    if (!is_of_few_numbers(bound, bound.arguments[i])) continue;
    const double here = squares_of(outputs[i]), there = squares_of(other_outputs[i]);
    if (!(here <= most * there && there <= most * here)) return false;
  }
  return true;
}

bool hangs_on_few_integers(const model::Case& bound) {
  constexpr std::int64_t few = 8, small = 4096;
  bool has_few = false, floats = false;
  for (const model::BoundArgument& argument : bound.arguments) {
    if (argument.role == model::ArgumentRole::scalar) continue;
    const std::int64_t count = element_count(argument);
    if (model::is_judged(argument.role)) floats = floats || is_floating(argument.dtype);
    if (argument.role == model::ArgumentRole::input && !is_floating(argument.dtype))
      has_few = has_few || (count > 0 && count <= few);
  }
  return has_few && floats && elements_of(bound) <= small;
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
