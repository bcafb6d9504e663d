#include "evaluators/oracle/comparison_rules.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace evo::evaluators::oracle {
namespace {

double over(double error, double magnitude) {
  if (error == 0) return 0;
  return error / magnitude;  // a zero magnitude gives infinity, which passes nothing
}

/// Errors that no correct kernel can avoid near zero: a unit in the last place of the smallest numbers, and
/// for FP32, whose denormals --use_fast_math flushes, the smallest normal one.
double smallest_step(model::DType dtype) {
  switch (dtype) {
    case model::DType::f16:
      return 0x1p-24;
    case model::DType::bf16:
    case model::DType::f32:
      return 0x1p-126;
    case model::DType::f8e4m3:
      return 0x1p-9;
    case model::DType::f8e5m2:
      return 0x1p-16;
    default:
      return 0;
  }
}

/// Where sums are taken in any order, atomics take them, and those on floats in global memory flush denormals
/// (PTX ISA, atom): each addition of a few near zero may lose one.
constexpr double flushed_sums = 1024;
double unavoidable(const model::BoundArgument& argument) {
  const bool flushes = !argument.reproducible && argument.dtype == model::DType::f32;
  return smallest_step(argument.dtype) * (flushes ? flushed_sums : 1);
}

constexpr double conditioning_factor = 3;

/// Nobody wrote the bounds of an automatic class: what its plain_errors allow is all, also where the
/// reference is next to nothing and a share of it is less than any rounding.
bool measured_alone(const Comparison& result, const CompareOptions& options) {
  return options.tolerance.automatic && result.allowed.has_value();
}

/// The class's bounds and what the data moves the answer by, in units of the output.
bool within_conditioned(const Comparison& result, const CompareOptions& options,
                        const model::BoundArgument& argument) {
  const OutputErrors bounds = bounds_of(result, options, argument);
  return result.error_rms <= bounds.rms && result.error_largest <= bounds.largest;
}

}  // namespace

std::optional<OutputErrors> allowed_by(const CompareOptions& options) {
  if (!options.tolerance.reference_factor) return std::nullopt;
  const auto& [factor, absolute] = *options.tolerance.reference_factor;
  constexpr double nothing = std::numeric_limits<double>::quiet_NaN();
  if (!options.plain_errors) return OutputErrors{nothing, nothing};
  return OutputErrors{factor * options.plain_errors->rms + absolute,
                      factor * options.plain_errors->largest + absolute};
}

void set_errors(Comparison& result, double error_squares, double reference_squares, double largest) {
  const double count = static_cast<double>(std::max<std::int64_t>(result.elements, 1));
  result.relative_frobenius = over(std::sqrt(error_squares), std::sqrt(reference_squares));
  result.max_abs_over_rms = over(largest, std::sqrt(reference_squares / count));
  result.error_rms = std::sqrt(error_squares / count);
  result.error_largest = largest;
  result.reference_rms = std::sqrt(reference_squares / count);
}

OutputErrors bounds_of(const Comparison& result, const CompareOptions& options,
                       const model::BoundArgument& argument) {
  OutputErrors bounds{options.tolerance.relative_frobenius * result.reference_rms,
                      options.tolerance.max_abs_over_rms * result.reference_rms};
  if (measured_alone(result, options)) {
    bounds = *result.allowed;
  } else if (result.allowed) {
    bounds.rms = std::min(bounds.rms, result.allowed->rms);
    bounds.largest = std::min(bounds.largest, result.allowed->largest);
  }
  if (!options.conditioning) return bounds;
  const double step = unavoidable(argument);
  // Of nothing a share is nothing: there, what has been measured is all, and an exact class is exact.
  const bool of_nothing = result.reference_rms == 0;
  const bool exact_class = options.tolerance.relative_frobenius == 0 &&
                           options.tolerance.max_abs_over_rms == 0 && !options.tolerance.automatic;
  const auto granted = [&](double moved, double bound) {
    if (of_nothing && exact_class) return 0.0;
    const double all = conditioning_factor * moved;
    const bool limited = options.doubled_at_most && !of_nothing;
    return limited && all > bound ? bound : all;  // a NaN stays, and passes nothing
  };
  bounds.rms += granted(options.conditioning->rms, bounds.rms) + step;
  bounds.largest += granted(options.conditioning->largest, bounds.largest) + step;
  return bounds;
}

std::string judge(const Comparison& result, const CompareOptions& options,
                  const model::BoundArgument& argument) {
  if (result.gap_bytes > 0) return "gap_overwritten";
  if (result.unwritten > 0) return "unwritten";
  if (result.non_finite > 0) return "non_finite";
  if (result.mismatched > 0) return "mismatch";
  if (options.conditioning) return within_conditioned(result, options, argument) ? "" : "mismatch";
  if (!measured_alone(result, options)) {
    if (!(result.relative_frobenius <= options.tolerance.relative_frobenius)) return "mismatch";
    if (!(result.max_abs_over_rms <= options.tolerance.max_abs_over_rms)) return "mismatch";
  }
  if (result.allowed && !(result.error_rms <= result.allowed->rms)) return "mismatch";
  if (result.allowed && !(result.error_largest <= result.allowed->largest)) return "mismatch";
  return "";
}

}  // namespace evo::evaluators::oracle
