// Intervals of integers that a register may hold, by its bits read as a signed number of its width.
#pragma once

#include <cstdint>
#include <optional>

#include "evaluators/devices/virtual/program.hpp"

namespace evo::evaluators::virtual_device::ptx {

/// From least to most, of these the multiples of 2^twos (0 alone with no_bit); empty() where nothing has got
/// there yet. Multiples of powers of two stay so where a sum or a product wraps.
struct Interval {
  std::int64_t least = 1, most = 0;
  unsigned twos = 0;
  [[nodiscard]] bool empty() const { return least > most; }
  [[nodiscard]] bool single() const { return least == most; }
  friend bool operator==(const Interval&, const Interval&) = default;
};

/// What 0 is a multiple of.
constexpr unsigned no_bit = 63;

/// One number.
[[nodiscard]] Interval number_of(std::int64_t value);
/// All numbers of so many bytes.
[[nodiscard]] Interval all_of(unsigned bytes);
/// What either may be.
[[nodiscard]] Interval joined(const Interval& a, const Interval& b);
[[nodiscard]] bool is_integer(Type type);
[[nodiscard]] bool is_signed(Type type);

/// Those of `value` that are multiples of 2^twos: without the ends that are none.
[[nodiscard]] Interval with_twos(Interval value, unsigned twos);

/// The result of an arithmetic instruction of integers on its sources, read as its type has them; all numbers
/// of the result where nothing better is known. An opcode that is none gives all.
[[nodiscard]] Interval result_of(const Instruction& instruction, unsigned result_bytes, const Interval& a,
                                 const Interval& b, const Interval& c);

/// Whether a comparison of integers holds: nothing where the intervals do not decide it.
[[nodiscard]] std::optional<bool> compared(Compare compare, Type type, const Interval& a, const Interval& b);

}  // namespace evo::evaluators::virtual_device::ptx
