#include "evaluators/oracle/compare.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "evaluators/oracle/comparison_rules.hpp"
#include "evaluators/oracle/elements.hpp"
#include "evaluators/oracle/fast_pass.hpp"
#include "evaluators/oracle/layout.hpp"
#include "evaluators/oracle/reduced.hpp"
#include "evaluators/oracle/rounding.hpp"
#include "evaluators/oracle/row_sample.hpp"
#include "model/records.hpp"

namespace evo::evaluators::oracle {
namespace {

constexpr std::size_t worst_kept = 5;

std::byte poison_byte(std::uint32_t pattern, std::int64_t offset) {
  return static_cast<std::byte>((pattern >> (8 * (offset % 4))) & 0xff);
}

bool holds_poison(std::span<const std::byte> bytes, std::int64_t offset, std::int64_t size,
                  std::uint32_t pattern) {
  for (std::int64_t i = 0; i < size; ++i) {
    if (bytes[static_cast<std::size_t>(offset + i)] != poison_byte(pattern, offset + i)) return false;
  }
  return true;
}

/// What was there before the launch may be correct, too: only the poison is never.
bool is_given(const CompareOptions& options) {
  return options.zeroed || !options.given.empty();
}

/// Does an element hold what was there before the launch?
bool is_untouched(const CompareOptions& options, std::span<const std::byte> actual, std::int64_t offset,
                  std::int64_t size) {
  if (options.given.empty()) return options.poison && holds_poison(actual, offset, size, *options.poison);
  const auto at = static_cast<std::ptrdiff_t>(offset);
  return std::equal(actual.begin() + at, actual.begin() + at + size, options.given.begin() + at);
}

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

std::int64_t count_gap_bytes(const model::BoundArgument& argument, std::span<const std::byte> actual,
                             std::uint32_t pattern) {
  // No two elements of an output share a place, so as many as the extent leave no gap.
  if (element_count(argument) * model::size_of(argument.dtype) == buffer_bytes(argument)) return 0;
  const std::vector<bool> addressed = addressed_elements(argument);
  const std::int64_t size = model::size_of(argument.dtype);
  std::int64_t changed = 0;
  for (std::size_t element = 0; element < addressed.size(); ++element) {
    if (addressed[element]) continue;
    const std::int64_t offset = static_cast<std::int64_t>(element) * size;
    for (std::int64_t i = offset; i < offset + size; ++i) {
      if (actual[static_cast<std::size_t>(i)] != poison_byte(pattern, i)) ++changed;
    }
  }
  return changed;
}

/// The sampled rows, packed, as an output of their own.
struct PickedRows {
  PickedRows(const model::BoundArgument& argument, std::span<const std::byte> actual,
             std::span<const std::int64_t> rows)
      : row_elements(argument.shape.back()) {
    const model::BoundArgument on_host = host_layout(argument);
    const std::int64_t size = model::size_of(argument.dtype);
    output = argument;
    output.shape = {static_cast<std::int64_t>(rows.size()), row_elements};
    output.strides = {row_elements, 1};
    bytes.reserve(static_cast<std::size_t>(buffer_bytes(output)));
    for (const std::int64_t row : rows) {
      const std::vector<std::int64_t> first = coordinates_of(argument, row * row_elements);
      std::int64_t offset = 0;
      for (std::size_t d = 0; d < first.size(); ++d) offset += first[d] * on_host.strides[d];
      for (std::int64_t i = 0; i < row_elements; ++i, offset += on_host.strides.back()) {
        const auto element =
            actual.subspan(static_cast<std::size_t>(offset * size), static_cast<std::size_t>(size));
        bytes.insert(bytes.end(), element.begin(), element.end());
      }
    }
  }
  std::int64_t row_elements;
  model::BoundArgument output;
  std::vector<std::byte> bytes;
};

/// Errors of the sampled rows; of all others, whether they are written and finite.
Comparison compare_rows(const model::BoundArgument& argument, std::span<const std::byte> actual,
                        std::span<const double> reference, const CompareOptions& options) {
  const PickedRows picked(argument, actual, options.rows);
  CompareOptions inner = options;
  inner.rows = {};
  inner.poison.reset();
  inner.given = {};
  Comparison result = compare(picked.output, picked.bytes, reference, inner);
  for (Deviation& deviation : result.worst) {
    const std::int64_t row = options.rows[static_cast<std::size_t>(deviation.coordinates.front())];
    deviation.coordinates =
        coordinates_of(argument, row * picked.row_elements + deviation.coordinates.back());
  }
  const Survey survey = survey_elements(argument, actual, is_given(options) ? std::nullopt : options.poison);
  result.elements = element_count(argument);
  result.wrong_share =
      std::max(result.wrong_share, static_cast<double>(survey.unwritten + survey.non_finite) /
                                       static_cast<double>(result.elements));
  if (!options.special_values)
    result.non_finite = std::max(result.non_finite - survey.unwritten, survey.non_finite);
  result.unwritten = survey.unwritten;
  if (options.poison) result.gap_bytes = count_gap_bytes(argument, actual, *options.poison);
  result.reason = judge(result, options, argument);
  result.pass = result.reason.empty();
  return result;
}

/// The elements that a launch of some blocks wrote, packed, as an output of their own.
Comparison compare_written(const model::BoundArgument& argument, std::span<const std::byte> actual,
                           std::span<const double> reference, const CompareOptions& options) {
  const std::vector<std::int64_t> elements = written_elements(argument, options.written);
  const std::vector<std::int64_t> offsets = element_offsets(argument);
  const std::int64_t size = model::size_of(argument.dtype);
  const std::int64_t row_elements = options.rows.empty() ? 1 : argument.shape.back();
  model::BoundArgument output = argument;
  std::vector<std::byte> bytes;
  std::vector<double> values;
  Comparison result;
  std::vector<std::int64_t> judged;
  for (const std::int64_t element : elements) {
    std::int64_t index = element;
    if (!options.rows.empty()) {
      const auto row = std::lower_bound(options.rows.begin(), options.rows.end(), element / row_elements);
      if (row == options.rows.end() || *row != element / row_elements) continue;
      index = (row - options.rows.begin()) * row_elements + element % row_elements;
    }
    const auto at =
        actual.subspan(static_cast<std::size_t>(offsets[static_cast<std::size_t>(element)] * size),
                       static_cast<std::size_t>(size));
    bytes.insert(bytes.end(), at.begin(), at.end());
    values.push_back(reference[static_cast<std::size_t>(index)]);
    judged.push_back(element);
  }
  output.shape = {static_cast<std::int64_t>(values.size())};
  output.strides = {1};
  CompareOptions inner = options;
  inner.rows = {};
  inner.written = {};
  inner.poison.reset();
  inner.given = {};
  result = compare(output, bytes, values, inner);
  for (Deviation& deviation : result.worst) {
    deviation.coordinates =
        coordinates_of(argument, judged[static_cast<std::size_t>(deviation.coordinates.front())]);
  }
  if (options.poison) result.gap_bytes = count_gap_bytes(argument, actual, *options.poison);
  result.reason = judge(result, options, argument);
  result.pass = result.reason.empty();
  return result;
}

bool is_special(model::DType dtype, double reference) {
  // What rounds to an infinity is one.
  return !std::isfinite(reference) || std::abs(reference) > model::range_of(dtype).high;
}

bool equals_special(double actual, double reference) {
  if (std::isnan(reference)) return std::isnan(actual);
  return std::isinf(actual) && std::signbit(actual) == std::signbit(reference);
}

/// Elements that the reference says are NaN or infinite, one by one; the others as an output of their own.
Comparison compare_special(const model::BoundArgument& argument, std::span<const std::byte> actual,
                           std::span<const double> reference, const CompareOptions& options) {
  const std::vector<std::int64_t> offsets = element_offsets(argument);
  const std::int64_t size = model::size_of(argument.dtype);
  std::vector<std::uint8_t> finite(actual.size(), 0);
  std::vector<Deviation> wrong;
  std::int64_t mismatched = 0, unwritten = 0;
  for (std::size_t e = 0; e < offsets.size(); ++e) {
    const std::int64_t offset = offsets[e] * size;
    if (!is_special(argument.dtype, reference[e])) {
      std::fill_n(finite.begin() + offset, size, std::uint8_t{1});
      continue;
    }
    const double value = load_element(argument.dtype, actual.data() + offset);
    // A correct byte may be the poison's by chance; longer elements have too many patterns for that.
    // Structs are all ones, which is a NaN's sign turned and an integer's -1.
    const bool any_poison = size == 1 || !model::record_of(argument.name).empty();
    const bool by_chance = any_poison && equals_special(value, reference[e]);
    const bool untouched = !is_given(options) && !by_chance && is_untouched(options, actual, offset, size);
    if (untouched) ++unwritten;
    if (!untouched && equals_special(value, reference[e])) continue;
    if (!untouched) ++mismatched;
    if (wrong.size() < worst_kept)
      wrong.push_back({coordinates_of(argument, static_cast<std::int64_t>(e)), reference[e], value});
  }
  CompareOptions inner = options;
  inner.special_values = false;
  inner.written = finite;
  Comparison result = compare_written(argument, actual, reference, inner);
  const double wrong_others = result.wrong_share * static_cast<double>(result.elements);
  result.elements = static_cast<std::int64_t>(offsets.size());
  result.mismatched += mismatched;
  result.unwritten += unwritten;
  result.wrong_share =
      (wrong_others + static_cast<double>(mismatched + unwritten)) / static_cast<double>(result.elements);
  wrong.insert(wrong.end(), result.worst.begin(), result.worst.end());
  if (wrong.size() > worst_kept) wrong.resize(worst_kept);
  result.worst = std::move(wrong);
  result.reason = judge(result, options, argument);
  result.pass = result.reason.empty();
  return result;
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
