// What is compared of an output is made of all of its slices, or of its elements in any order.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace evo::model {

/// How what a kernel leaves in an output becomes what the oracle answers for.
enum class Reduction : std::uint8_t {
  none,
  sum,   ///< over the first dimension of what the kernel writes
  max,   ///< likewise
  min,   ///< likewise
  sort,  ///< elements count in any order
};

/// "none", "sum", "max", "min", "sort": in the order of the enumerators.
[[nodiscard]] std::span<const std::string_view> reduction_names();
[[nodiscard]] std::string_view name_of(Reduction reduction);
/// Of those that combine slices.
[[nodiscard]] constexpr bool combines_slices(Reduction reduction) {
  return reduction != Reduction::none && reduction != Reduction::sort;
}

}  // namespace evo::model
