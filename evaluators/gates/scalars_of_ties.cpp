#include "evaluators/gates/scalars_of_ties.hpp"

#include <algorithm>
#include <cmath>

#include "model/dtype.hpp"

namespace evo::evaluators::gates {

std::map<std::size_t, std::vector<double>> scalars_of_ties(const model::Problem& problem,
                                                           const model::Case& bound) {
  const auto any_whole = [&](bool (*role)(model::ArgumentRole)) {
    return std::ranges::any_of(problem.arguments, [&](const model::Argument& argument) {
      return role(argument.role) && !model::is_floating(argument.dtype);
    });
  };
  std::map<std::size_t, std::vector<double>> found;
  if (!any_whole(model::is_judged) || !any_whole(model::is_given)) return found;
  for (std::size_t i = 0; i < problem.arguments.size() && i < bound.arguments.size(); ++i) {
    const model::Argument& scalar = problem.arguments[i];
    const double usual = bound.arguments[i].scalar_float;
    if (scalar.role != model::ArgumentRole::scalar || !model::is_floating(scalar.dtype) || scalar.neutral ||
        scalar.fixed || scalar.scalar.form != model::ScalarValue::Form::number || usual == 0 ||
        !std::isfinite(usual))
      continue;
    const double power = std::copysign(std::exp2(std::round(std::log2(std::abs(usual)))), usual);
    if (power != usual) found[i].push_back(power);
  }
  return found;
}

}  // namespace evo::evaluators::gates
