// PTX that stops where it divides integers and C++ has no quotient, or that has other numbers there.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace evo::evaluators::reference {

/// `ptx` with a trap before each integer division or remainder by a register that is undefined
/// (integer_division.hpp): what C++ leaves undefined is no answer, though every GPU has one (all ones, or the
/// least integer). Instructions under a predicate stay as they are.
[[nodiscard]] std::string with_division_traps(std::string_view ptx);

/// `ptx` with another quotient or remainder where it is undefined: 21845 in draw 0 (no end of a type, which
/// GPUs have there), 0 in draw 1. The same text where nothing divides so.
[[nodiscard]] std::string with_other_quotients(std::string_view ptx, std::uint64_t draw);

}  // namespace evo::evaluators::reference
