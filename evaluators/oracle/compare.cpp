#include "evaluators/oracle/compare.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "evaluators/oracle/compare_parts.hpp"
#include "evaluators/oracle/comparison_rules.hpp"
#include "evaluators/oracle/elements.hpp"
#include "evaluators/oracle/fast_pass.hpp"
#include "evaluators/oracle/layout.hpp"
#include "evaluators/oracle/reduced.hpp"
#include "evaluators/oracle/rounding.hpp"
#include "evaluators/oracle/row_sample.hpp"
#include "evaluators/oracle/untouched.hpp"

namespace evo::evaluators::oracle {
namespace {

/// Errors ordered so that a non-finite one is the worst.
double severity(double error) {
  return std::isfinite(error) ? error : std::numeric_limits<double>::infinity();
}

struct Ranked {
  double severity = 0;
  std::int64_t index = 0;
  double actual = 0;
};

void keep_worst(std::vector<Ranked>& worst, const Ranked& candidate) {
  if (worst.size() == worst_kept && !(candidate.severity > worst.back().severity)) return;
  const auto position = std::find_if(
      worst.begin(), worst.end(), [&](const Ranked& other) { return candidate.severity > other.severity; });
  worst.insert(position, candidate);
  if (worst.size() > worst_kept) worst.pop_back();
}

double over_bound(double error, double bound) {
  return error == 0 ? 0 : error / bound;
}

/// How near a refused output came, with all its elements at hand.
void set_nearness(Comparison& result, const model::BoundArgument& argument, std::span<const std::byte> actual,
                  std::span<const double> reference, std::span<const std::int64_t> offsets,
                  const CompareOptions& options) {
  const OutputErrors bounds = bounds_of(result, options, argument);
  const std::int64_t size = model::size_of(argument.dtype);
  const double relative = is_floating(argument.dtype) ? options.relative : 0;
  std::int64_t far = 0, off = 0;
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    const std::byte* address = actual.data() + offsets[i] * size;
    if (options.exact) {
      far += equals_nearly(argument.dtype, address, reference[i], options.exact_ulps) ? 0 : 1;
      continue;
    }
    const double error = std::abs(load_element(argument.dtype, address) - reference[i]) -
                         relative * std::abs(reference[i]) - half_ulp(argument.dtype, reference[i]);
    // A NaN is within nothing.
    far += error <= 0 || error <= bounds.largest ? 0 : 1;
    off += error <= 0 || error <= bounds.rms ? 0 : 1;
  }
  result.wrong_share = static_cast<double>(std::max(result.unwritten, far > 0 ? far : off)) /
                       static_cast<double>(offsets.size());
  const double rms = over_bound(result.error_rms, bounds.rms);
  const double largest = over_bound(result.error_largest, bounds.largest);
  result.times_bound = rms >= largest ? rms : largest;  // a NaN in the largest stays
}

bool rows_fit(const model::BoundArgument& argument, std::span<const std::int64_t> rows) {
  const std::int64_t all = argument.shape.empty() ? 0 : row_count(argument);
  return std::all_of(rows.begin(), rows.end(), [&](std::int64_t row) { return row >= 0 && row < all; });
}

}  // namespace

Comparison compare(const model::BoundArgument& argument, std::span<const std::byte> actual,
                   std::span<const double> reference, const CompareOptions& options) {
  if (argument.reduce != model::Reduction::none) return compare_reduced(argument, actual, reference, options);
  Comparison result;
  result.elements = element_count(argument);
  result.allowed = allowed_by(options);
  const std::int64_t expected = options.rows.empty()
                                    ? result.elements
                                    : static_cast<std::int64_t>(options.rows.size()) * argument.shape.back();
  if (static_cast<std::int64_t>(reference.size()) != expected ||
      static_cast<std::int64_t>(actual.size()) != buffer_bytes(argument) ||
      !rows_fit(argument, options.rows)) {
    result.reason = "mismatch";
    result.mismatched = result.elements;
    result.wrong_share = 1;
    return result;
  }
  if (options.special_values && options.written.empty() && options.rows.empty() &&
      std::any_of(reference.begin(), reference.end(),
                  [&](double value) { return is_special(argument.dtype, value); }))
    return compare_special(argument, actual, reference, options);
  if (!options.written.empty()) return compare_written(argument, actual, reference, options);
  if (!options.rows.empty()) return compare_rows(argument, actual, reference, options);
  // Most outputs are correct, and that is seen at the speed of memory; what follows explains the others, and
  // grants large elements the rounding of their type.
  if (const auto sums = pass_sums(argument, actual, reference, options.exact,
                                  is_given(options) ? std::nullopt : options.poison)) {
    set_errors(result, sums->error_squares, sums->reference_squares, sums->largest_error);
    if (is_given(options) && options.poison)
      result.gap_bytes = count_gap_bytes(argument, actual, *options.poison);
    result.pass = judge(result, options, argument).empty();
    if (result.pass) return result;
  }
  const std::int64_t size = model::size_of(argument.dtype);
  const std::vector<std::int64_t> offsets = element_offsets(argument);
  std::vector<Ranked> worst;
  double error_squares = 0;
  double reference_squares = 0;
  double largest_error = 0;
  std::int64_t untouched_count = 0, wrong_and_written = 0;
  const double relative = is_floating(argument.dtype) ? options.relative : 0;  // integers are not rounded
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    const std::int64_t offset = offsets[i] * size;
    const std::byte* address = actual.data() + offset;
    const double value = load_element(argument.dtype, address);
    const bool finite = std::isfinite(value) && std::isfinite(reference[i]);
    const double off = std::abs(value - reference[i]);
    const double error = finite ? std::max(0.0, off - relative * std::abs(reference[i])) : off;
    const bool differs =
        options.exact && !equals_nearly(argument.dtype, address, reference[i], options.exact_ulps);
    if (!finite || differs || error > 0)
      keep_worst(worst, {severity(error), static_cast<std::int64_t>(i), value});
    const double excess =
        std::isnan(error) ? error : std::max(0.0, error - half_ulp(argument.dtype, reference[i]));
    // What is no more off than its type rounds is correct, also where it holds the poison by chance.
    if (!finite || excess > 0) {
      const bool untouched = is_untouched(options, actual, offset, size);
      if (untouched && is_given(options)) ++untouched_count;
      if (untouched && !is_given(options)) {
        ++result.unwritten;
      } else {
        ++wrong_and_written;
        if (!finite) ++result.non_finite;
      }
    }
    if (differs) ++result.mismatched;
    error_squares += error * error;
    reference_squares += reference[i] * reference[i];
    if (excess > largest_error || std::isnan(excess)) largest_error = excess;  // a NaN stays
  }
  set_errors(result, error_squares, reference_squares, largest_error);
  if (options.poison) result.gap_bytes = count_gap_bytes(argument, actual, *options.poison);
  for (const Ranked& entry : worst) {
    result.worst.push_back({coordinates_of(argument, entry.index),
                            reference[static_cast<std::size_t>(entry.index)], entry.actual});
  }
  result.reason = judge(result, options, argument);
  result.pass = result.reason.empty();
  // A wrong byte may be the poison's by chance: where more are wrong and are not, that is the news.
  if (result.reason == "unwritten" && size == 1 && result.unwritten < wrong_and_written) {
    Comparison as_written = result;
    as_written.unwritten = 0;
    if (const std::string reason = judge(as_written, options, argument); !reason.empty()) {
      result.unwritten = 0;
      result.reason = reason;
    }
  }
  if (!result.pass && !offsets.empty()) set_nearness(result, argument, actual, reference, offsets, options);
  // Where the worst of them still holds what was there, that is the news.
  if (!result.pass && result.reason != "gap_overwritten" && !worst.empty() && untouched_count > 0 &&
      is_untouched(options, actual, offsets[static_cast<std::size_t>(worst.front().index)] * size, size)) {
    result.unwritten = untouched_count;
    result.reason = "unwritten";
  }
  return result;
}

std::vector<std::int64_t> written_elements(const model::BoundArgument& argument,
                                           std::span<const std::uint8_t> written) {
  const std::int64_t size = model::size_of(argument.dtype);
  const std::vector<std::int64_t> offsets = element_offsets(argument);
  std::vector<std::int64_t> elements;
  for (std::size_t e = 0; e < offsets.size(); ++e) {
    const auto bytes =
        written.subspan(static_cast<std::size_t>(offsets[e] * size), static_cast<std::size_t>(size));
    if (std::any_of(bytes.begin(), bytes.end(), [](std::uint8_t byte) { return byte != 0; }))
      elements.push_back(static_cast<std::int64_t>(e));
  }
  return elements;
}

}  // namespace evo::evaluators::oracle
