#include "evaluators/oracle/automatic.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "evaluators/oracle/conditioning.hpp"
#include "evaluators/oracle/elements.hpp"
#include "evaluators/oracle/layout.hpp"
#include "evaluators/oracle/sampling.hpp"
#include "evaluators/oracle/tails.hpp"

namespace evo::evaluators::oracle {
namespace {

using model::ArgumentRole;
using model::DType;

constexpr double double_unit = 0x1p-53;
/// What is less has no digits that float must keep: it flushes to zero on its way.
constexpr double least_tail = 0x1p-100;
/// Units of rounding that a kernel in double may be off, before it is grown with its terms.
constexpr double double_doubt = 64;

/// The unit of rounding of what kernels compute in.
double unit_of(const model::Case& bound) {
  if (bound.computes_in) return *bound.computes_in == DType::f16 ? 0x1p-11 : 0x1p-8;
  const bool wide = std::ranges::any_of(bound.arguments, [](const model::BoundArgument& argument) {
    return argument.role != ArgumentRole::scalar && argument.dtype == DType::f64;
  });
  return wide ? double_unit : 0x1p-24;
}

/// A change of the inputs that survives their rounding.
double visible_change(const model::Case& bound) {
  double change = 0;
  for (const model::BoundArgument& argument : bound.arguments) {
    if (!model::is_given(argument.role)) continue;
    if (argument.dtype == DType::bf16) change = std::max(change, 0x1p-6);
    if (argument.dtype == DType::f16) change = std::max(change, 0x1p-9);
    if (argument.dtype == DType::f32) change = std::max(change, 0x1p-20);
    if (argument.dtype == DType::f64) change = std::max(change, 0x1p-40);
  }
  // What is computed in 16 bits is moved by as much as an input of that type.
  if (bound.computes_in) change = std::max(change, *bound.computes_in == DType::f16 ? 0x1p-9 : 0x1p-6);
  return change;
}

/// Terms of an element of `output`: what the oracle says, or by the work that such an element takes. A mean
/// of each row beside the rows themselves has as many as a row has elements.
double terms_of(const Oracle& oracle, const model::Case& bound, const model::BoundArgument& output) {
  if (oracle.computed != nullptr) {
    if (const auto depth = oracle.computed->depth(bound)) return std::max(1.0, *depth);
  }
  const auto elements_of = [](const model::BoundArgument& argument) {
    return std::max(1.0, static_cast<double>(element_count(argument)));
  };
  double given = 0, largest = 1;
  for (const model::BoundArgument& argument : bound.arguments) {
    if (model::is_given(argument.role)) given += elements_of(argument);
    if (model::is_judged(argument.role)) largest = std::max(largest, elements_of(argument));
  }
  // The largest of a product takes no more terms than there are inputs, however long the product took.
  const double own = std::min(bound.flops / elements_of(output) / 2, given / elements_of(output));
  return std::max({1.0, own, bound.flops / largest / 2});
}

/// Of the output that has the fewest.
double least_terms(const Oracle& oracle, const model::Case& bound) {
  double least = 0;
  for (const model::BoundArgument& argument : bound.arguments) {
    if (!model::is_judged(argument.role)) continue;
    const double terms = terms_of(oracle, bound, argument);
    least = least == 0 ? terms : std::min(least, terms);
  }
  return std::max(1.0, least);
}

double rounded(DType dtype, double value) {
  std::array<std::byte, 8> bits{};
  store_element(dtype, value, bits.data());
  return load_element(dtype, bits.data());
}

/// The largest number of its type stands for none: a mask's -FLT_MAX. Beside it no answer would count.
bool is_mark(DType dtype, double value) {
  const double end = model::range_of(dtype).high;
  return std::abs(value) > 0.9 * end && std::abs(rounded(dtype, value)) == end;
}

double magnitude(DType dtype, const std::vector<double>& values) {
  double squares = 0;
  std::size_t finite = 0;
  for (const double value : values) {
    if (!std::isfinite(value) || is_mark(dtype, value)) continue;
    ++finite;
    squares += value * value;
  }
  return finite == 0 ? 0 : std::sqrt(squares / static_cast<double>(finite));
}

double largest_of(const std::vector<double>& values) {
  double largest = 0;
  for (const double value : values) {
    if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
  }
  return largest;
}

/// Of values that are rounded to the output's type; what is not finite measures nothing.
OutputErrors errors_of(DType dtype, const std::vector<double>& values, const std::vector<double>& reference) {
  OutputErrors result;
  double squares = 0;
  std::size_t finite = 0;
  for (std::size_t e = 0; e < values.size(); ++e) {
    const double error = std::abs(rounded(dtype, values[e]) - reference[e]);
    if (!std::isfinite(error)) continue;
    ++finite;
    squares += error * error;
    result.largest = std::max(result.largest, error);
  }
  if (finite > 0) result.rms = std::sqrt(squares / static_cast<double>(finite));
  return result;
}

bool all_finite(const model::Case& bound, const ReferenceOutputs& outputs) {
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    for (const double value : outputs[i]) {
      if (!std::isfinite(rounded(bound.arguments[i].dtype, value))) return false;
    }
  }
  return true;
}

/// May a sum on the way to an output be beyond float, though the output is not?
bool leaves_float(const model::Case& bound, const Reference& reference, double terms) {
  return share_of_range(bound, reference) * terms > 0.25;
}

/// Half of the least number of f16: what a product or a sum that is smaller loses.
constexpr double half_quantum = 0x1p-25;

/// Do numbers, their squares and sums of magnitudes stay within f16, with room for a factor of two?
bool half_can_take(const Oracle& oracle, const model::Case& bound, const InputBuffers& inputs,
                   const Reference& reference) {
  constexpr double most = 0x1p15;
  double largest = 0;
  for (std::size_t i = 0; i < bound.arguments.size(); ++i) {
    const model::BoundArgument& argument = bound.arguments[i];
    // What a fill says the problem has said, however large: kernels take it.
    if (!model::is_given(argument.role) || !is_floating(argument.dtype) || argument.fill) continue;
    const auto size = static_cast<std::size_t>(model::size_of(argument.dtype));
    for (std::size_t at = 0; at + size <= inputs[i].size(); at += size) {
      const double value = std::abs(load_element(argument.dtype, inputs[i].data() + at));
      if (std::isfinite(value)) largest = std::max(largest, value);
    }
  }
  if (largest * std::max(1.0, largest) > most) return false;
  const InputBuffers without_signs = magnitudes(bound, inputs);
  const auto sums = reference.rows.empty() ? oracle.compute(bound, without_signs)
                                           : oracle.compute_rows(bound, without_signs, reference.rows);
  if (!sums) return true;
  for (std::size_t i = 0; i < sums->size(); ++i) {
    if (is_floating(bound.arguments[i].dtype) && largest_of((*sums)[i]) > most) return false;
  }
  return true;
}

/// A power of numbers that float holds badly is no other way to the answer, nor is one that takes an element
/// across a threshold.
constexpr double most_of_answer = 0x1p-10, most_of_largest = 0x1p-8;

OutputErrors larger_of(const OutputErrors& a, const OutputErrors& b) {
  return {std::max(a.rms, b.rms), std::max(a.largest, b.largest)};
}

}  // namespace

model::Expected<std::vector<OutputErrors>> measure_automatic(const Oracle& oracle, const model::Case& bound,
                                                             const InputBuffers& inputs,
                                                             const Reference& reference,
                                                             const Movement& movement) {
  const double unit = unit_of(bound);
  std::vector<OutputErrors> moved = reference.conditioning;
  double relative = movement.relative;
  bool known = true;  // how far it moves
  if (relative <= 0 || moved.empty()) {
    relative = visible_change(bound);
    moved.assign(bound.arguments.size(), {});
    const bool movable = relative > 0 && reference.rows.size() < 8192;
    auto measured = movable
                        ? measure_conditioning(oracle, bound, inputs, reference, relative, movement.entropy)
                        : model::Expected<std::vector<OutputErrors>>(moved);
    // A recording has no answer to other inputs: the share of its own size below is all there is.
    known = measured && !measured->empty();
    if (known) moved = std::move(*measured);
    relative = std::max(relative, unit);
  }
  std::optional<ReferenceOutputs> plain, otherwise;
  const bool asks_float = oracle.computed != nullptr && unit > double_unit;
  if (asks_float && movement.in_float != nullptr) {
    plain = *movement.in_float;
  } else if (asks_float) {
    auto computed = oracle.computed->compute_plain(bound, inputs, reference.rows);
    if (!computed) return tl::make_unexpected(computed.error());
    plain = std::move(*computed);
  }
  if (plain) otherwise = oracle.computed->compute_otherwise(bound, inputs, reference.rows);
  if (plain && movement.undeclared && !all_finite(bound, *plain))
    return tl::make_unexpected(model::Error{"in float, the oracle gives NaN or infinity for these inputs"});
  if (!plain && movement.undeclared && leaves_float(bound, reference, least_terms(oracle, bound)))
    return tl::make_unexpected(
        model::Error{"sums of so many terms of this size may leave the range of float"});
  if (bound.computes_in && movement.of_tails)
    return tl::make_unexpected(model::Error{"16 bits hold no digits of such answers"});
  if (bound.computes_in == DType::f16 && movement.undeclared &&
      !half_can_take(oracle, bound, inputs, reference))
    return tl::make_unexpected(model::Error{"sums or products of these numbers may leave the range of f16"});
  if (movement.of_tails && !plain) return tl::make_unexpected(model::Error{"nothing is known of float"});
  // Without a computation in float nobody knows what the functions of a formula cost: a few units more. In
  // double that is never measured, and chains of many roundings exist whose length nobody told; what costs a
  // digit of fifteen is seen all the same.
  const double doubt = unit == double_unit ? double_doubt : plain ? 1 : known ? 4 : 16;
  std::vector<OutputErrors> filtered(bound.arguments.size());
  if (filters_textures(bound)) {
    auto measured = measure_sampling(oracle, bound, inputs, reference, movement.entropy);
    if (!measured) return tl::make_unexpected(measured.error());
    if (!measured->empty()) filtered = std::move(*measured);
  }
  std::vector<OutputErrors> result(bound.arguments.size());
  for (std::size_t i = 0; i < result.size(); ++i) {
    const model::BoundArgument& output = bound.arguments[i];
    if (!model::is_judged(output.role) || !is_floating(output.dtype)) continue;
    const double growth = doubt * unit * std::max(1.0, std::sqrt(terms_of(oracle, bound, output)) / 2);
    const std::vector<double>& correct = reference.outputs[i];
    OutputErrors storage = errors_of(output.dtype, correct, correct);
    // Each slice is rounded by itself.
    const double roundings = std::sqrt(static_cast<double>(output.slices));
    storage = {storage.rms * roundings, storage.largest * roundings};
    const double share = growth * magnitude(output.dtype, correct);
    const double lost = bound.computes_in == DType::f16
                            ? half_quantum * std::max(1.0, std::sqrt(terms_of(oracle, bound, output)))
                            : 0;
    OutputErrors floor{
        std::max(moved[i].rms * growth / relative, share) + storage.rms + lost,
        std::max(moved[i].largest * growth / relative, 2 * share) + storage.largest + 2 * lost};
    if (plain) {
      const OutputErrors in_float = errors_of(output.dtype, (*plain)[i], correct);
      if (movement.of_tails &&
          !(magnitude(output.dtype, correct) > least_tail && keeps_digits(in_float, floor)))
        return tl::make_unexpected(model::Error{"in float, the oracle loses the digits of its answer"});
      result[i] = larger_of(floor, in_float);
      if (otherwise) {
        const OutputErrors other = errors_of(output.dtype, (*otherwise)[i], correct);
        const bool close = other.rms <= most_of_answer * magnitude(output.dtype, correct) &&
                           other.largest <= most_of_largest * largest_of(correct);
        if (close) result[i] = larger_of(result[i], other);
      }
    } else {
      result[i] = floor;
    }
    result[i].rms += filtered[i].rms;
    result[i].largest += filtered[i].largest;
  }
  return result;
}

}  // namespace evo::evaluators::oracle
