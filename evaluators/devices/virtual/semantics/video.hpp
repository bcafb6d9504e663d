// The SIMD video instructions: two or four integers in a word (PTX ISA, "SIMD Video Instructions"). The
// compiler makes them of __vsadu4 and its kin.
//
// Without selectors and masks, which no compiler writes: lane i of the result is of lanes i of a and b.
#pragma once

#include <cstdint>

#include "evaluators/devices/virtual/instruction_set.hpp"
#include "evaluators/devices/virtual/semantics/isa.hpp"

namespace evo::evaluators::virtual_device::semantics {
inline namespace EVO_ISA {

enum class VideoOp : std::uint8_t { add, sub, average, absolute_difference, min, max, set };

struct VideoForm {
  VideoOp op = VideoOp::add;
  bool four = false;  ///< bytes; else 16-bit halves
  bool signed_d = false, signed_a = false, signed_b = false;
  bool accumulate = false;  ///< .add: the lanes' results are summed onto c
};

/// As Instruction::immediate keeps it, and back.
[[nodiscard]] constexpr std::uint64_t video_bits(const VideoForm& form) {
  return static_cast<std::uint64_t>(form.op) | std::uint64_t{form.four} << 8 |
         std::uint64_t{form.signed_d} << 9 | std::uint64_t{form.signed_a} << 10 |
         std::uint64_t{form.signed_b} << 11 | std::uint64_t{form.accumulate} << 12;
}
[[nodiscard]] constexpr VideoForm video_form(std::uint64_t bits) {
  const auto flag = [&](unsigned k) { return (bits >> k & 1) != 0; };
  return {static_cast<VideoOp>(bits & 0xff), flag(8), flag(9), flag(10), flag(11), flag(12)};
}

/// A lane's result before it is clamped: exact, a comparison is 1 or 0.
[[nodiscard]] constexpr std::int32_t video_lane(VideoOp op, Compare compare, std::int32_t a, std::int32_t b) {
  switch (op) {
    case VideoOp::add:
      return a + b;
    case VideoOp::sub:
      return a - b;
    case VideoOp::average:  // halves are rounded away from zero
      return a + b >= 0 ? (a + b + 1) >> 1 : (a + b) >> 1;
    case VideoOp::absolute_difference:
      return a < b ? b - a : a - b;
    case VideoOp::min:
      return a < b ? a : b;
    case VideoOp::max:
      return a < b ? b : a;
    case VideoOp::set:
      break;
  }
  switch (compare) {
    case Compare::eq:
      return a == b;
    case Compare::ne:
      return a != b;
    case Compare::lt:
      return a < b;
    case Compare::le:
      return a <= b;
    case Compare::gt:
      return a > b;
    default:
      return a >= b;
  }
}

/// What the instruction writes. With accumulate that is c and the lanes' sum, else the lanes side by side.
[[nodiscard]] constexpr std::uint32_t video(const VideoForm& form, Compare compare, bool saturate,
                                            std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  const unsigned width = form.four ? 8 : 16;
  const std::uint32_t mask = (1U << width) - 1;
  const auto lane_of = [&](std::uint32_t word, unsigned at, bool is_signed) {
    const auto lane = static_cast<std::int32_t>(word >> at & mask);
    return is_signed && lane >> (width - 1) != 0 ? lane - static_cast<std::int32_t>(mask) - 1 : lane;
  };
  const std::int32_t greatest = static_cast<std::int32_t>(form.signed_d ? mask >> 1 : mask);
  const std::int32_t least = form.signed_d ? -greatest - 1 : 0;
  std::uint32_t lanes = 0, sum = c;
  for (unsigned at = 0; at < 32; at += width) {
    std::int32_t result =
        video_lane(form.op, compare, lane_of(a, at, form.signed_a), lane_of(b, at, form.signed_b));
    if (saturate) result = result < least ? least : result > greatest ? greatest : result;
    lanes |= (static_cast<std::uint32_t>(result) & mask) << at;
    sum += static_cast<std::uint32_t>(result);
  }
  return form.accumulate ? sum : lanes;
}

}  // namespace EVO_ISA
}  // namespace evo::evaluators::virtual_device::semantics
