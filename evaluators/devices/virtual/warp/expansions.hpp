// PTX instructions that the compiler makes a sequence of: what they cost beyond the one that is counted.
#pragma once

#include <cstdint>

#include "evaluators/devices/virtual/warp/code.hpp"

namespace evo::evaluators::virtual_device::warp {

/// Machine instructions besides the first, by pipe.
struct Expansion {
  std::uint64_t fp32 = 0, fp64 = 0, integer = 0, conversion = 0, special = 0;
  [[nodiscard]] std::uint64_t all() const { return fp32 + fp64 + integer + conversion + special; }
};

/// Of a division, remainder, reciprocal or root; nothing for any other instruction. Without the slow ways for
/// denormal numbers, which hardly any value takes.
[[nodiscard]] Expansion expansion_of(const Instruction& instruction);

}  // namespace evo::evaluators::virtual_device::warp
