#include "evaluators/oracle/conditioning.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "evaluators/oracle/elements.hpp"
#include "evaluators/oracle/in_ranges.hpp"
#include "evaluators/oracle/layout.hpp"
#include "evaluators/oracle/rounding.hpp"
#include "model/random.hpp"

namespace evo::evaluators::oracle {
namespace {

constexpr std::uint64_t draws = 2;

/// The numbers that an argument may hold, whatever the input set.
struct Limits {
  double low = -std::numeric_limits<double>::infinity(), high = std::numeric_limits<double>::infinity();
};

/// From the least to the largest that a fill of the argument draws; one that may be neither draws anything.
/// nullopt: they are no floating-point numbers, or mean something else when they change a little, as indices
/// in a float do.
std::optional<Limits> limits_of(const model::BoundArgument& argument) {
  if (!model::is_given(argument.role) || !is_floating(argument.dtype)) return std::nullopt;
  std::optional<Limits> limits;
  const auto widen = [&](const model::BoundFill& fill) {
    const bool continuous = fill.form == model::FillForm::normal || fill.form == model::FillForm::uniform;
    if (!continuous) return false;
    limits = limits ? Limits{std::min(limits->low, fill.low()), std::max(limits->high, fill.high())}
                    : Limits{fill.low(), fill.high()};
    return true;
  };
  // Sets of other names than these draw as their kind has it where the argument itself has no fill.
  if (argument.fill && !widen(*argument.fill)) return std::nullopt;
  for (const auto& [set, fill] : argument.set_fills) {
    if (!widen(fill)) return std::nullopt;
  }
  return argument.fill ? limits : Limits{};
}

OutputErrors difference(const std::vector<double>& a, const std::vector<double>& b) {
  OutputErrors result;
  double squares = 0;
  std::size_t finite = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double error = std::abs(a[i] - b[i]);
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
  InputBuffers other = inputs;
  for (std::size_t i = 0; i < bound.arguments.size(); ++i) {
    const model::BoundArgument& argument = bound.arguments[i];
    const auto limits = limits_of(argument);
    if (!limits) continue;
    const model::RandomStream stream(
        {.seed = entropy, .generation = draw, .slot = i, .purpose = "conditioning"});
    const std::int64_t size = model::size_of(argument.dtype);
    const auto move = [&](std::int64_t begin, std::int64_t end) {
      model::RandomStream signs = stream;
      signs.skip(static_cast<std::uint64_t>(begin));
      for_elements(argument, begin, end, [&](std::int64_t, std::int64_t offset) {
        std::byte* const element = other[i].data() + offset * size;
        const double sign = (signs.next_u32() & 1) != 0 ? 1 : -1;
        const double value = load_element(argument.dtype, element);
        const double other_value = value * (1 + sign * relative);
        // What no fill put there (a set of evo's own) stays as it is.
        const bool inside = other_value >= limits->low && other_value <= limits->high;
        const bool moves = inside && !std::ranges::binary_search(held, value);
        store_element(argument.dtype, moves ? other_value : value, element);
      });
    };
    const std::int64_t count = element_count(argument);
    // Elements that share a place are moved once for each of them, in their order.
    if (count * size > buffer_bytes(argument)) {
      move(0, count);
      continue;
    }
    in_ranges(static_cast<std::size_t>(count), [&](std::size_t begin, std::size_t end) {
      move(static_cast<std::int64_t>(begin), static_cast<std::int64_t>(end));
    });
  }
  return other;
}

model::Expected<std::vector<OutputErrors>> measure_conditioning(
    const Oracle& oracle, const model::Case& bound, const InputBuffers& inputs, const Reference& reference,
    double relative, std::uint64_t entropy, const std::vector<double>& held) {
  std::vector<OutputErrors> worst(bound.arguments.size());
  for (std::uint64_t draw = 0; draw < draws; ++draw) {
    const InputBuffers other = moved_inputs(bound, inputs, relative, entropy, draw, held);
    if (!oracle.can_answer(bound, other)) return std::vector<OutputErrors>{};
    const auto answer = reference.rows.empty() ? oracle.compute(bound, other)
                                               : oracle.compute_rows(bound, other, reference.rows);
    if (!answer) return tl::make_unexpected(answer.error());
    for (std::size_t i = 0; i < worst.size(); ++i) {
      const OutputErrors now = difference((*answer)[i], reference.outputs[i]);
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
