#include "evaluators/oracle/conditioning.hpp"

#include <algorithm>
#include <cmath>

#include "evaluators/oracle/elements.hpp"
#include "evaluators/oracle/jumps.hpp"
#include "evaluators/oracle/layout.hpp"
#include "evaluators/oracle/moves.hpp"
#include "evaluators/oracle/patterns.hpp"
#include "evaluators/oracle/rounding.hpp"

namespace evo::evaluators::oracle {
namespace {

/// Many elements show in two draws how far they move. One, or a few, may stay in both where it is by luck.
constexpr std::uint64_t draws = 2, draws_of_few = 6;
constexpr std::int64_t few_elements = 4;

std::uint64_t draws_for(const model::Case& bound) {
  const bool few = std::ranges::any_of(bound.arguments, [](const model::BoundArgument& argument) {
    return model::is_judged(argument.role) && is_floating(argument.dtype) &&
           element_count(argument) <= few_elements;
  });
  return few ? draws_of_few : draws;
}

/// Without the elements `but`, ascending.
OutputErrors difference(const std::vector<double>& a, const std::vector<double>& b,
                        const std::vector<std::size_t>& but) {
  OutputErrors result;
  double squares = 0;
  std::size_t finite = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double error = std::abs(a[i] - b[i]);
    if (std::ranges::binary_search(but, i)) continue;
    if (!std::isfinite(error)) continue;  // off the edge of the type: nothing is granted for it
    ++finite;
    squares += error * error;
    result.largest = std::max(result.largest, error);
  }
  if (finite > 0) result.rms = std::sqrt(squares / static_cast<double>(finite));
  return result;
}

double largest_of(model::DType dtype) {
  return model::range_of(dtype).high;
}

}  // namespace

InputBuffers moved_inputs(const model::Case& bound, const InputBuffers& inputs, double relative,
                          std::uint64_t entropy, std::uint64_t draw, const std::vector<double>& held) {
  return moved(bound, inputs, {relative, entropy, draw}, held);
}

model::Expected<std::vector<OutputErrors>> measure_conditioning(
    const Oracle& oracle, const model::Case& bound, const InputBuffers& inputs, const Reference& reference,
    double relative, std::uint64_t entropy, const std::vector<double>& held) {
  std::vector<OutputErrors> worst(bound.arguments.size());
  std::vector<ReferenceOutputs> answers;
  for (std::uint64_t draw = 0; draw < draws_for(bound); ++draw) {
    const InputBuffers other = moved_inputs(bound, inputs, relative, entropy, draw, held);
    if (!oracle.can_answer(bound, other)) return std::vector<OutputErrors>{};
    auto answer = reference.rows.empty() ? oracle.compute(bound, other)
                                         : oracle.compute_rows(bound, other, reference.rows);
    if (!answer) return tl::make_unexpected(answer.error());
    answers.push_back(std::move(*answer));
  }
  const auto decided = decided_jumps(oracle, bound, inputs, reference, {relative, entropy, held, answers});
  for (const ReferenceOutputs& answer : answers) {
    for (std::size_t i = 0; i < worst.size(); ++i) {
      const OutputErrors now = difference(answer[i], reference.outputs[i], decided[i]);
      worst[i].rms = std::max(worst[i].rms, now.rms);
      worst[i].largest = std::max(worst[i].largest, now.largest);
    }
  }
  return worst;
}

double rounding_of_inputs(const model::Case& bound) {
  double rounding = 0;
  for (const model::BoundArgument& argument : bound.arguments) {
    if (!model::is_given(argument.role)) continue;
    if (argument.dtype == model::DType::f32) rounding = std::max(rounding, 0x1p-23);
    if (argument.dtype == model::DType::f64) rounding = std::max(rounding, 0x1p-52);
  }
  return rounding;
}

double backward_error(const model::Tolerance& tolerance, const model::Case& bound,
                      const model::InputSet& set) {
  constexpr double most = 3e-3, two_roundings = 2;
  const double of_class =
      std::min(tolerance.backward_error > 0 ? tolerance.backward_error : tolerance.relative_frobenius, most);
  const double rounding = rounding_of_inputs(bound);
  const bool narrow = bound.computes_in || std::ranges::any_of(bound.arguments, [](const auto& argument) {
                        return model::is_given(argument.role) && model::is_floating(argument.dtype) &&
                               model::size_of(argument.dtype) < model::size_of(model::DType::f32);
                      });
  const bool ordinary = tolerance.automatic && is_at_ends_of_ranges(set) && rounding > 0 && !narrow;
  return ordinary ? std::min(of_class, two_roundings * rounding) : of_class;
}

double rounding_of_few(const model::Case& bound) {
  constexpr std::int64_t few = 2048, small = 65536;
  std::int64_t outputs = 0, inputs = 0;
  double rounding = 0;
  for (const model::BoundArgument& argument : bound.arguments) {
    if (model::is_judged(argument.role)) outputs += element_count(argument);
    if (!model::is_given(argument.role)) continue;
    inputs += element_count(argument);
    if (is_floating(argument.dtype) && model::size_of(argument.dtype) <= 2)
      rounding = std::max(rounding, half_ulp(argument.dtype, 1));
  }
  return outputs <= few && inputs <= small ? rounding : 0;
}

InputBuffers magnitudes(const model::Case& bound, const InputBuffers& inputs) {
  InputBuffers result = inputs;
  for (std::size_t i = 0; i < bound.arguments.size(); ++i) {
    const model::BoundArgument& argument = bound.arguments[i];
    if (!model::is_given(argument.role) || !is_floating(argument.dtype) || argument.fill) continue;
    const std::int64_t size = model::size_of(argument.dtype);
    for_elements(argument, 0, element_count(argument), [&](std::int64_t, std::int64_t offset) {
      std::byte* const element = result[i].data() + offset * size;
      store_element(argument.dtype, std::abs(load_element(argument.dtype, element)), element);
    });
  }
  return result;
}

InputBuffers flushed(const model::Case& bound, const InputBuffers& inputs) {
  InputBuffers result = inputs;
  for (std::size_t i = 0; i < bound.arguments.size(); ++i) {
    const model::BoundArgument& argument = bound.arguments[i];
    if (!model::is_given(argument.role) || !is_floating(argument.dtype)) continue;
    const double least = smallest_normal(argument.dtype);
    const std::int64_t size = model::size_of(argument.dtype);
    for_elements(argument, 0, element_count(argument), [&](std::int64_t, std::int64_t offset) {
      std::byte* const element = result[i].data() + offset * size;
      if (std::abs(load_element(argument.dtype, element)) < least) store_element(argument.dtype, 0, element);
    });
  }
  return result;
}

double share_of_range(const model::Case& bound, const Reference& reference) {
  double most = 0;
  for (std::size_t i = 0; i < bound.arguments.size(); ++i) {
    if (!model::is_judged(bound.arguments[i].role) || !is_floating(bound.arguments[i].dtype) ||
        bound.arguments[i].dtype == model::DType::f16)
      continue;
    for (const double value : reference.outputs[i])
      most = std::max(most, std::abs(value) / largest_of(bound.arguments[i].dtype));
  }
  return most;
}

bool representable(const model::Case& bound, const Reference& reference) {
  for (std::size_t i = 0; i < bound.arguments.size(); ++i) {
    if (!model::is_judged(bound.arguments[i].role)) continue;
    const auto [smallest, largest] = model::range_of(bound.arguments[i].dtype);
    const double least = is_floating(bound.arguments[i].dtype) ? -largest : smallest;
    for (const double value : reference.outputs[i]) {
      if (!(value >= least && value <= largest)) return false;
    }
  }
  return true;
}

}  // namespace evo::evaluators::oracle
