#include "evaluators/oracle/poles.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "evaluators/oracle/elements.hpp"
#include "evaluators/oracle/layout.hpp"

namespace evo::evaluators::oracle {
namespace {

constexpr double smaller = 0x1p-10;

template <class Is>
bool any_value(const Reference& reference, const Is& is) {
  return std::ranges::any_of(reference.outputs,
                             [&](const auto& values) { return std::ranges::any_of(values, is); });
}

/// nullopt where some of them are not finite: their answers are another matter.
std::optional<InputBuffers> made_smaller(const model::Case& bound, InputBuffers inputs) {
  bool finite = true;
  for (std::size_t i = 0; i < bound.arguments.size(); ++i) {
    const model::BoundArgument& argument = bound.arguments[i];
    if (!model::is_given(argument.role) || !is_floating(argument.dtype)) continue;
    const std::int64_t size = model::size_of(argument.dtype);
    for_elements(argument, 0, element_count(argument), [&](std::int64_t, std::int64_t offset) {
      std::byte* const element = inputs[i].data() + offset * size;
      const double value = load_element(argument.dtype, element);
      finite = finite && std::isfinite(value);
      store_element(argument.dtype, smaller * value, element);
    });
  }
  if (!finite) return std::nullopt;
  return inputs;
}

}  // namespace

bool has_nan(const Reference& reference) {
  return any_value(reference, [](double value) { return std::isnan(value); });
}

bool has_infinity(const Reference& reference) {
  return any_value(reference, [](double value) { return std::isinf(value); });
}

bool are_poles(const Oracle& oracle, const model::Case& bound, const InputBuffers& inputs,
               const Reference& reference) {
  if (has_nan(reference) || !reference.rows.empty()) return false;
  const auto small = made_smaller(bound, inputs);
  if (!small || !oracle.can_answer(bound, *small)) return false;
  const auto answer = oracle.compute(bound, *small);
  if (!answer) return false;
  for (std::size_t i = 0; i < reference.outputs.size(); ++i) {
    const std::vector<double>&own = reference.outputs[i], &other = (*answer)[i];
    for (std::size_t e = 0; e < own.size(); ++e) {
      if (std::isinf(own[e]) && own[e] != other[e]) return false;
    }
  }
  return true;
}

ReferenceOutputs without_infinities(ReferenceOutputs outputs, const Reference& reference) {
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    for (std::size_t e = 0; e < outputs[i].size(); ++e) {
      if (std::isinf(reference.outputs[i][e])) outputs[i][e] = 0;
    }
  }
  return outputs;
}

}  // namespace evo::evaluators::oracle
