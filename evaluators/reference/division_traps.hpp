// PTX that stops where it divides an integer by 0.
#pragma once

#include <string>
#include <string_view>

namespace evo::evaluators::reference {

/// `ptx` with a trap before each integer division or remainder whose divisor is a register that holds 0: what
/// C++ leaves undefined is no answer, though every GPU has one (all ones). Instructions under a predicate
/// stay as they are.
[[nodiscard]] std::string with_division_traps(std::string_view ptx);

}  // namespace evo::evaluators::reference
