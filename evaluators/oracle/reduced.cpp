#include "evaluators/oracle/reduced.hpp"

#include <algorithm>
#include <cmath>

#include "evaluators/oracle/elements.hpp"
#include "evaluators/oracle/layout.hpp"

namespace evo::evaluators::oracle {
namespace {

using model::Reduction;

/// Ascending, NaNs behind all numbers.
bool ranks_before(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return !std::isnan(a) && std::isnan(b);
  return a < b;
}

/// A NaN in one slice is one in the result.
double combined(Reduction reduction, double a, double b) {
  if (reduction == Reduction::sum) return a + b;
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) ? a : b;
  return reduction == Reduction::max ? std::max(a, b) : std::min(a, b);
}

std::vector<double> combined_slices(const model::BoundArgument& argument, std::span<const std::byte> actual) {
  const std::int64_t size = model::size_of(argument.dtype), count = element_count(argument);
  std::vector<double> values;
  values.reserve(static_cast<std::size_t>(count));
  for (std::int64_t e = 0; e < count; ++e)
    values.push_back(load_element(argument.dtype, actual.data() + e * size));
  for (std::int64_t slice = 1; slice < argument.slices; ++slice) {
    const std::byte* const first = actual.data() + slice * count * size;
    for (std::int64_t e = 0; e < count; ++e) {
      double& value = values[static_cast<std::size_t>(e)];
      value = combined(argument.reduce, value, load_element(argument.dtype, first + e * size));
    }
  }
  return values;
}

std::int64_t count_poisoned(std::span<const std::byte> actual, std::int64_t size, std::uint32_t pattern) {
  std::int64_t count = 0;
  for (std::int64_t at = 0; at + size <= static_cast<std::int64_t>(actual.size()); at += size) {
    bool poisoned = true;
    for (std::int64_t i = at; i < at + size && poisoned; ++i)
      poisoned =
          actual[static_cast<std::size_t>(i)] == static_cast<std::byte>((pattern >> (8 * (i % 4))) & 0xff);
    count += poisoned ? 1 : 0;
  }
  return count;
}

}  // namespace

Comparison compare_reduced(const model::BoundArgument& argument, std::span<const std::byte> actual,
                           std::span<const double> reference, const CompareOptions& options) {
  const std::int64_t size = model::size_of(argument.dtype);
  model::BoundArgument output = argument;
  output.reduce = Reduction::none;
  output.slices = 1;
  if (static_cast<std::int64_t>(actual.size()) != buffer_bytes(argument)) {
    Comparison result;  // of a buffer that has another size
    result.reason = "mismatch";
    result.elements = result.mismatched = element_count(argument);
    result.wrong_share = 1;
    return result;
  }
  std::vector<double> values = combined_slices(argument, actual), correct(reference.begin(), reference.end());
  if (argument.reduce == Reduction::sort) {
    std::ranges::sort(values, ranks_before);
    std::ranges::sort(correct, ranks_before);
  }
  std::vector<std::byte> bytes(values.size() * static_cast<std::size_t>(size));
  for (std::size_t e = 0; e < values.size(); ++e)
    store_element(argument.dtype, values[e], bytes.data() + static_cast<std::int64_t>(e) * size);
  CompareOptions inner = options;
  inner.poison.reset();
  inner.written = {};
  Comparison result = compare(output, bytes, correct, inner);
  if (!options.poison || options.zeroed) return result;
  const std::int64_t unwritten = count_poisoned(actual, size, *options.poison);
  if (unwritten == 0 || (result.pass && size < 4)) return result;
  result.unwritten = unwritten;
  result.elements *= argument.slices;  // it is of all of these
  result.wrong_share =
      std::max(result.wrong_share, static_cast<double>(unwritten) / static_cast<double>(result.elements));
  result.reason = "unwritten";
  result.pass = false;
  return result;
}

std::vector<std::byte> as_one_slice(const model::BoundArgument& argument, std::span<const std::byte> actual) {
  if (argument.slices <= 1) return {actual.begin(), actual.end()};
  const std::int64_t size = model::size_of(argument.dtype);
  std::vector<std::byte> bytes(static_cast<std::size_t>(element_count(argument) * size));
  const std::vector<double> values = combined_slices(argument, actual);
  for (std::size_t e = 0; e < values.size(); ++e)
    store_element(argument.dtype, values[e], bytes.data() + static_cast<std::int64_t>(e) * size);
  return bytes;
}

void spread_slices(const model::BoundArgument& argument, std::span<std::byte> bytes) {
  if (argument.slices <= 1) return;
  const std::size_t slice = bytes.size() / static_cast<std::size_t>(argument.slices);
  for (std::size_t at = slice; at < bytes.size(); ++at)
    bytes[at] = argument.reduce == Reduction::sum ? std::byte{0} : bytes[at % slice];
}

}  // namespace evo::evaluators::oracle
