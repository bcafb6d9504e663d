// Loads and stores of single elements on the host.
#pragma once

#include <cstdint>

#include "evaluators/devices/virtual/exact/code.hpp"
#include "evaluators/devices/virtual/semantics/convert.hpp"

namespace evo::evaluators::virtual_device::exact {

// Blocks run in parallel, and those of a wrong candidate may race: relaxed atomics make that defined, for the
// price of plain moves. Accesses are aligned as on the device; one that is not (which was told) goes byte by
// byte.
template <class T>
using Aliasing __attribute__((may_alias)) = T;

[[nodiscard]] inline bool is_aligned(const std::uint8_t* data, unsigned bytes) {
  return (reinterpret_cast<std::uintptr_t>(data) & (bytes - 1)) == 0;
}

[[nodiscard]] inline Word peek(const std::uint8_t* data, unsigned bytes) {
  if (!is_aligned(data, bytes)) {
    Word value = 0;
    for (unsigned i = 0; i < bytes; ++i) value |= Word{__atomic_load_n(data + i, __ATOMIC_RELAXED)} << 8 * i;
    return value;
  }
  switch (bytes) {
    case 1:
      return __atomic_load_n(data, __ATOMIC_RELAXED);
    case 2:
      return __atomic_load_n(reinterpret_cast<const Aliasing<std::uint16_t>*>(data), __ATOMIC_RELAXED);
    case 4:
      return __atomic_load_n(reinterpret_cast<const Aliasing<std::uint32_t>*>(data), __ATOMIC_RELAXED);
    default:
      return __atomic_load_n(reinterpret_cast<const Aliasing<std::uint64_t>*>(data), __ATOMIC_RELAXED);
  }
}

inline void poke(std::uint8_t* data, unsigned bytes, Word value) {
  if (!is_aligned(data, bytes)) {
    for (unsigned i = 0; i < bytes; ++i) {
      __atomic_store_n(data + i, static_cast<std::uint8_t>(value >> 8 * i), __ATOMIC_RELAXED);
    }
    return;
  }
  switch (bytes) {
    case 1:
      __atomic_store_n(data, static_cast<std::uint8_t>(value), __ATOMIC_RELAXED);
      break;
    case 2:
      __atomic_store_n(reinterpret_cast<Aliasing<std::uint16_t>*>(data), static_cast<std::uint16_t>(value),
                       __ATOMIC_RELAXED);
      break;
    case 4:
      __atomic_store_n(reinterpret_cast<Aliasing<std::uint32_t>*>(data), static_cast<std::uint32_t>(value),
                       __ATOMIC_RELAXED);
      break;
    default:
      __atomic_store_n(reinterpret_cast<Aliasing<std::uint64_t>*>(data), value, __ATOMIC_RELAXED);
      break;
  }
}

[[nodiscard]] constexpr Word all_ones(unsigned bytes) {
  return bytes >= 8 ? ~Word{0} : (Word{1} << 8 * bytes) - 1;
}

/// What a load puts into a register that is wider than the element.
[[nodiscard]] inline Word extended(Word value, Type type, unsigned element, unsigned register_bytes) {
  if (!semantics::is_signed(type) || register_bytes <= element || element >= 8) return value;
  const Word sign = Word{1} << (8 * element - 1);
  return ((value ^ sign) - sign) & all_ones(register_bytes);
}

}  // namespace evo::evaluators::virtual_device::exact
