// The registers of a fragment, of all lanes, while a matrix operation works on them.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "evaluators/devices/virtual/semantics/matrix_multiply.hpp"

namespace evo::evaluators::virtual_device::exact {

constexpr std::uint32_t all_lanes = 0xffffffffU;

template <class Action>
void for_each_lane(std::uint32_t lanes, Action action) {
  for (; lanes != 0; lanes &= lanes - 1) action(static_cast<std::uint32_t>(std::countr_zero(lanes)));
}

struct Fragment {
  std::uint32_t values[semantics::max_fragment][32] = {};
  std::uint32_t poison[semantics::max_fragment][32] = {};  ///< origins, 0 = none
  unsigned count = 0;

  [[nodiscard]] std::byte* bytes(unsigned k) { return reinterpret_cast<std::byte*>(values[k]); }
  [[nodiscard]] std::array<std::uint32_t, semantics::max_fragment> marks() const {
    std::array<std::uint32_t, semantics::max_fragment> result{};
    for (unsigned k = 0; k < count; ++k) {
      for (unsigned lane = 0; lane < 32; ++lane) {
        result[k] |= static_cast<std::uint32_t>(poison[k][lane] != 0) << lane;
      }
    }
    return result;
  }
  [[nodiscard]] bool any_poison() const { return poison_at(0, 32) != 0; }
  /// The first origin in these lanes.
  [[nodiscard]] std::uint32_t poison_at(unsigned first, unsigned lanes) const {
    for (unsigned k = 0; k < count; ++k) {
      for (unsigned lane = first; lane < first + lanes; ++lane) {
        if (poison[k][lane] != 0) return poison[k][lane];
      }
    }
    return 0;
  }
};

}  // namespace evo::evaluators::virtual_device::exact
