// Divisions of integers in PTX, of which C++ leaves some undefined.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace evo::evaluators::reference {

/// `div` or `rem` of integers by a register, of a line of PTX; its operands are parts of that line.
struct IntegerDivision {
  std::string_view type;                       ///< "s32"
  std::string_view result, dividend, divisor;  ///< the dividend may be a number
  /// Sets the predicate `name` where C++ has no quotient: by 0, and the least integer by -1, whose quotient
  /// the type does not hold. Declares `name` and what it needs beside it (`name`_least, `name`_less).
  [[nodiscard]] std::string is_undefined(std::string_view name) const;
};

/// nullopt of all other lines, of a division by a number, and of one under a predicate.
[[nodiscard]] std::optional<IntegerDivision> integer_division(std::string_view line);

}  // namespace evo::evaluators::reference
