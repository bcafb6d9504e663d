#include "evaluators/oracle/untouched.hpp"

#include <algorithm>
#include <vector>

#include "evaluators/oracle/elements.hpp"
#include "evaluators/oracle/layout.hpp"

namespace evo::evaluators::oracle {
namespace {

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

}  // namespace

bool is_given(const CompareOptions& options) {
  return options.zeroed || !options.given.empty();
}

bool is_untouched(const CompareOptions& options, std::span<const std::byte> actual, std::int64_t offset,
                  std::int64_t size) {
  if (options.given.empty()) return options.poison && holds_poison(actual, offset, size, *options.poison);
  const auto at = static_cast<std::ptrdiff_t>(offset);
  return std::equal(actual.begin() + at, actual.begin() + at + size, options.given.begin() + at);
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

}  // namespace evo::evaluators::oracle
