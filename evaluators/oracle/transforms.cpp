#include "evaluators/oracle/transforms.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "evaluators/oracle/elements.hpp"

namespace evo::evaluators::oracle {
namespace {

model::Error wrong(const model::InputSet& set, const std::string& what) {
  return model::Error{fmt::format("input set {}: {}", set.name, what)};
}

/// change(argument, values) for the inputs that the set means.
template <class Change>
model::Expected<void> each(const model::Case& bound, const model::InputSet& set, DraftInputs& draft,
                           const Change& change) {
  const double named = parameter(set, "argument", -1);
  bool found = false;
  for (std::size_t i = 0; i < bound.arguments.size(); ++i) {
    const model::BoundArgument& argument = bound.arguments[i];
    if (!model::is_given(argument.role) || !is_floating(argument.dtype)) continue;
    if (named >= 0 && named != static_cast<double>(i)) continue;
    found = true;
    if (auto changed = change(argument, draft[i]); !changed) return changed;
  }
  if (!found)
    return tl::make_unexpected(wrong(set, fmt::format("argument {} is no floating-point input", named)));
  return {};
}

}  // namespace

model::Expected<void> scale(const model::Case& bound, const model::InputSet& set, const InputKey&,
                            DraftInputs& draft) {
  const double factor = parameter(set, "factor", 1);
  return each(bound, set, draft, [&](const auto&, std::vector<double>& values) -> model::Expected<void> {
    for (double& value : values) value *= factor;
    return {};
  });
}

model::Expected<void> ramp(const model::Case& bound, const model::InputSet& set, const InputKey&,
                           DraftInputs& draft) {
  const double low = parameter(set, "low", 0.25), high = parameter(set, "high", 4);
  const double axis = parameter(set, "axis", 0);
  return each(
      bound, set, draft, [&](const model::BoundArgument& argument, auto& values) -> model::Expected<void> {
        const std::vector<std::int64_t>& shape = argument.shape;
        if (!(axis >= 0 && axis < static_cast<double>(shape.size())))
          return tl::make_unexpected(wrong(set, fmt::format("{} has no dimension {}", argument.name, axis)));
        const auto along = static_cast<std::size_t>(axis);
        std::int64_t inner = 1;
        for (std::size_t d = along + 1; d < shape.size(); ++d) inner *= shape[d];
        const std::int64_t length = shape[along];
        for (std::size_t e = 0; e < values.size(); ++e) {
          const std::int64_t at = static_cast<std::int64_t>(e) / inner % length;
          const double position = length > 1 ? static_cast<double>(at) / static_cast<double>(length - 1) : 0;
          values[e] *= low + (high - low) * position;
        }
        return {};
      });
}

model::Expected<void> constant(const model::Case& bound, const model::InputSet& set, const InputKey&,
                               DraftInputs& draft) {
  const double value = parameter(set, "value", 1);
  return each(bound, set, draft, [&](const auto&, std::vector<double>& values) -> model::Expected<void> {
    std::fill(values.begin(), values.end(), value);
    return {};
  });
}

model::Expected<void> shift(const model::Case& bound, const model::InputSet& set, const InputKey&,
                            DraftInputs& draft) {
  const double by = parameter(set, "by", 0);
  return each(bound, set, draft, [&](const auto&, std::vector<double>& values) -> model::Expected<void> {
    for (double& value : values) value += by;
    return {};
  });
}

}  // namespace evo::evaluators::oracle
