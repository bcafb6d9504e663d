// Lane values in the registers of a warp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "evaluators/devices/virtual/semantics/bits.hpp"
#include "evaluators/devices/virtual/warp/state.hpp"

namespace evo::evaluators::virtual_device::warp::EVO_ISA {

// Slots hold every type in turn.
using Word [[gnu::may_alias]] = std::uint32_t;
using LongWord [[gnu::may_alias]] = std::uint64_t;
using Single [[gnu::may_alias]] = float;
using Double [[gnu::may_alias]] = double;

/// Bytes of a lane of type T: 4, or 8. Narrow values are zero-extended.
template <class T>
constexpr unsigned lane_bytes = sizeof(T) == 8 ? 8 : 4;

template <class T>
[[gnu::always_inline]] inline T read_lane(const std::byte* slot, unsigned lane) {
  // NOLINTNEXTLINE(bugprone-branch-clone): the branches differ in types that a dependent cast hides
  if constexpr (std::is_same_v<T, bool>) {
    return (*reinterpret_cast<const Word*>(slot) >> lane & 1U) != 0;
  } else if constexpr (std::is_same_v<T, float>) {
    return reinterpret_cast<const Single*>(slot)[lane];
  } else if constexpr (std::is_same_v<T, double>) {
    return reinterpret_cast<const Double*>(slot)[lane];
  } else if constexpr (std::is_class_v<T>) {
    return T{reinterpret_cast<const Word*>(slot)[lane]};
  } else if constexpr (sizeof(T) == 8) {
    return static_cast<T>(reinterpret_cast<const LongWord*>(slot)[lane]);
  } else {
    return static_cast<T>(reinterpret_cast<const Word*>(slot)[lane]);
  }
}
template <class T>
[[gnu::always_inline]] inline void write_lane(std::byte* slot, unsigned lane, T value) {
  // NOLINTNEXTLINE(bugprone-branch-clone): the branches differ in types that a dependent cast hides
  if constexpr (std::is_same_v<T, float>) {
    reinterpret_cast<Single*>(slot)[lane] = value;
  } else if constexpr (std::is_same_v<T, double>) {
    reinterpret_cast<Double*>(slot)[lane] = value;
  } else if constexpr (std::is_class_v<T>) {
    reinterpret_cast<Word*>(slot)[lane] = value.bits;
  } else if constexpr (sizeof(T) == 8) {
    reinterpret_cast<LongWord*>(slot)[lane] = static_cast<std::uint64_t>(value);
  } else {
    reinterpret_cast<Word*>(slot)[lane] = static_cast<std::make_unsigned_t<T>>(value);
  }
}

template <class T>
[[gnu::always_inline]] inline void blend_lanes(T* out, const T* in, std::uint32_t mask) {
#pragma GCC ivdep
  for (unsigned lane = 0; lane < lanes; ++lane) out[lane] = (mask >> lane & 1U) != 0 ? in[lane] : out[lane];
}
/// Copies the lanes of `mask` from `source` to `destination`.
template <unsigned Bytes>
inline void blend(std::byte* destination, const std::byte* source, std::uint32_t mask) {
  // NOLINTNEXTLINE(bugprone-branch-clone): the branches differ in types that a dependent cast hides
  if constexpr (Bytes == 8) {
    blend_lanes(reinterpret_cast<LongWord*>(destination), reinterpret_cast<const LongWord*>(source), mask);
  } else {
    blend_lanes(reinterpret_cast<Word*>(destination), reinterpret_cast<const Word*>(source), mask);
  }
}

[[gnu::always_inline]] inline void set_poison(Warp& warp, std::uint32_t index, std::uint32_t lanes_poisoned) {
  warp.poison[index] = (warp.poison[index] & ~warp.mask) | (lanes_poisoned & warp.mask);
}

}  // namespace evo::evaluators::virtual_device::warp::EVO_ISA
