// The floating-point numbers of a source in another type.
#pragma once

#include <string>

namespace evo::source {

/// The text with its numbers in float: 0.5 is a double, and what it meets would be computed in double.
[[nodiscard]] std::string with_float_numbers(const std::string& source);

/// The text with its numbers of float as doubles of the same value: `(i + 0.5f) * n`, of integers, would be
/// computed in float.
[[nodiscard]] std::string with_double_numbers(const std::string& source);

}  // namespace evo::source
