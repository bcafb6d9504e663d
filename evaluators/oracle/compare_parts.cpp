#include "evaluators/oracle/compare_parts.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "evaluators/oracle/comparison_rules.hpp"
#include "evaluators/oracle/elements.hpp"
#include "evaluators/oracle/layout.hpp"
#include "evaluators/oracle/row_sample.hpp"
#include "evaluators/oracle/untouched.hpp"
#include "model/records.hpp"

namespace evo::evaluators::oracle {
namespace {

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

double mean_square(std::span<const double> values) {
  double squares = 0;
  std::size_t finite = 0;
  for (const double value : values) {
    if (!std::isfinite(value)) continue;
    ++finite;
    squares += value * value;
  }
  return finite == 0 ? 0 : squares / static_cast<double>(finite);
}

/// Bounds were measured on the whole output. Of a sample in which what is large is not as rare, a spike say,
/// errors are larger by as much as its numbers are. False: they are not larger.
bool widen_to_sample(CompareOptions& options, std::span<const double> sample,
                     std::span<const double> reference) {
  const double own = mean_square(sample), all = mean_square(reference);
  if (!(own > all) || all == 0) return false;
  const double factor = std::sqrt(own / all);
  if (options.plain_errors) options.plain_errors->rms *= factor;
  if (options.conditioning) options.conditioning->rms *= factor;
  return options.plain_errors || options.conditioning;
}

bool equals_special(double actual, double reference) {
  if (std::isnan(reference)) return std::isnan(actual);
  return std::isinf(actual) && std::signbit(actual) == std::signbit(reference);
}

}  // namespace

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
  if (!result.pass && widen_to_sample(inner, values, reference))
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

}  // namespace evo::evaluators::oracle
