// Read-modify-write operations, on raw bits.
#pragma once

#include <cstdint>

#include "evaluators/devices/virtual/program.hpp"
#include "evaluators/devices/virtual/semantics/half.hpp"
#include "evaluators/devices/virtual/semantics/integer.hpp"
#include "evaluators/devices/virtual/semantics/isa.hpp"

namespace evo::evaluators::virtual_device::semantics {
inline namespace EVO_ISA {

template <class T>
[[nodiscard]] constexpr T atomic_integer(AtomicOp operation, T old, T b, T c) {
  switch (operation) {
    case AtomicOp::add:
      return add(old, b);
    case AtomicOp::min:
      return b < old ? b : old;
    case AtomicOp::max:
      return b > old ? b : old;
    case AtomicOp::and_:
      return static_cast<T>(old & b);
    case AtomicOp::or_:
      return static_cast<T>(old | b);
    case AtomicOp::xor_:
      return static_cast<T>(old ^ b);
    case AtomicOp::exch:
      return b;
    case AtomicOp::cas:
      return old == b ? c : old;
    case AtomicOp::inc:
      return old >= b ? T{0} : static_cast<T>(old + 1);
    case AtomicOp::dec:
      return old == 0 || old > b ? b : static_cast<T>(old - 1);
    default:
      return old;
  }
}

/// The new value; `b` and `c` are atom's sources in order. `global`: f32 additions in global memory flush
/// subnormals, those in shared memory keep them (PTX ISA, atom). False when the machine does not know the
/// combination.
[[nodiscard]] inline bool atomic_value(AtomicOp operation, Type type, bool global, std::uint64_t old,
                                       std::uint64_t b, std::uint64_t c, std::uint64_t& result) {
  const auto word = [](std::uint64_t bits) { return static_cast<std::uint32_t>(bits); };
  const bool adds = operation == AtomicOp::add;
  const bool lowest = operation == AtomicOp::min;
  const bool extreme = lowest || operation == AtomicOp::max;
  switch (type) {
    case Type::b16:
    case Type::u16:
      result = atomic_integer(operation, static_cast<std::uint16_t>(old), static_cast<std::uint16_t>(b),
                              static_cast<std::uint16_t>(c));
      return true;
    case Type::b32:
    case Type::u32:
      result = atomic_integer(operation, word(old), word(b), word(c));
      return true;
    case Type::s32:
      result = word(static_cast<std::uint64_t>(atomic_integer(operation, static_cast<std::int32_t>(word(old)),
                                                              static_cast<std::int32_t>(word(b)),
                                                              static_cast<std::int32_t>(word(c)))));
      return true;
    case Type::b64:
    case Type::u64:
      result = atomic_integer(operation, old, b, c);
      return true;
    case Type::s64:
      result = static_cast<std::uint64_t>(atomic_integer(operation, static_cast<std::int64_t>(old),
                                                         static_cast<std::int64_t>(b),
                                                         static_cast<std::int64_t>(c)));
      return true;
    case Type::f32: {
      if (!adds) return false;
      const float x = f32_of(word(old));
      const float y = f32_of(word(b));
      result = bits_of(global ? flush(canonical(flush(x) + flush(y))) : canonical(x + y));
      return true;
    }
    case Type::f64:
      result = bits_of(f64_of(old) + f64_of(b));
      return adds;
    case Type::f16:
    case Type::f16x2: {
      const auto one = [&](std::uint32_t x, std::uint32_t y) {
        if (adds) return HalfOps::add<false, false>({x}, {y}).bits;
        return lowest ? HalfOps::min<false, false>({x}, {y}).bits : HalfOps::max<false, false>({x}, {y}).bits;
      };
      result = one(word(old) & 0xffffU, word(b) & 0xffffU);
      if (type == Type::f16x2) result |= one(word(old) >> 16, word(b) >> 16) << 16;
      return adds || extreme;
    }
    case Type::bf16:
    case Type::bf16x2: {
      const auto one = [&](std::uint32_t x, std::uint32_t y) {
        if (adds) return BfloatOps::add<false, false>({x}, {y}).bits;
        return lowest ? BfloatOps::min<false, false>({x}, {y}).bits
                      : BfloatOps::max<false, false>({x}, {y}).bits;
      };
      result = one(word(old) & 0xffffU, word(b) & 0xffffU);
      if (type == Type::bf16x2) result |= one(word(old) >> 16, word(b) >> 16) << 16;
      return adds || extreme;
    }
    default:
      return false;
  }
}

}  // namespace EVO_ISA
}  // namespace evo::evaluators::virtual_device::semantics
