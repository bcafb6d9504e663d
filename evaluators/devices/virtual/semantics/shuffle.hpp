// From which lane a shuffle reads.
#pragma once

#include <cstdint>

#include "evaluators/devices/virtual/program.hpp"
#include "evaluators/devices/virtual/semantics/isa.hpp"

namespace evo::evaluators::virtual_device::semantics {
inline namespace EVO_ISA {

struct ShuffleSource {
  std::uint32_t lane = 0;  ///< the own one where the other is outside
  bool inside = false;     ///< within the lane's segment and its clamp: the predicate of shfl
};

/// `selector` and `control` are the instruction's b and c (PTX ISA, shfl.sync): c holds the clamp in bits 0
/// to 4 and the mask of the segment in bits 8 to 12.
[[nodiscard]] constexpr ShuffleSource shuffle_source(ShuffleMode mode, std::uint32_t lane,
                                                     std::uint32_t selector, std::uint32_t control) {
  selector &= 31U;
  const std::uint32_t segment = control >> 8 & 31U;
  const std::uint32_t first = lane & segment;
  const std::uint32_t last = first | (control & 31U & ~segment);
  std::uint32_t from = lane;
  bool inside = false;
  switch (mode) {
    case ShuffleMode::up:
      from = lane - selector;
      inside = static_cast<std::int32_t>(from) >= static_cast<std::int32_t>(last);
      break;
    case ShuffleMode::down:
      from = lane + selector;
      inside = from <= last;
      break;
    case ShuffleMode::bfly:
      from = lane ^ selector;
      inside = from <= last;
      break;
    default:
      from = first | (selector & ~segment);
      inside = from <= last;
      break;
  }
  return {inside ? from : lane, inside};
}

}  // namespace EVO_ISA
}  // namespace evo::evaluators::virtual_device::semantics
