#include "evaluators/oracle/compare.hpp"

namespace evo::evaluators::oracle {

std::uint32_t poison_pattern(model::DType dtype, std::uint32_t draw, bool finite) {
  using model::DType;
  // Payloads avoid all-ones and zero: 0x7fff is the NaN that the hardware itself makes.
  const std::uint32_t low = 1 + draw % 0xfd;
  const std::uint32_t high = 1 + (draw >> 8) % 0xfd;
  switch (dtype) {
    case DType::f16:
      return finite ? (0x7a00 | low) | ((0xfa00 | high) << 16) : (0x7e00 | low) | ((0xfe00 | high) << 16);
    case DType::bf16:
      return finite ? (0x7e00 | low) | ((0xfe00 | high) << 16) : (0x7f81 | low) | ((0xff81 | high) << 16);
    case DType::f32:
      return finite ? 0x7e000000 | (draw & 0xffff) : 0x7fc00000 | (1 + (draw & 0xffff));
    case DType::f64:
      return finite ? 0x7e000000 | (draw & 0xffff) : 0x7ff80000 | (1 + (draw & 0xffff));
    case DType::f8e4m3:
    case DType::f8e5m2: {
      const bool wide = dtype == DType::f8e5m2;
      // e4m3 has one NaN a sign; the greatest finite numbers otherwise.
      const std::uint32_t one = finite ? (wide ? 0x7a : 0x7e) : (wide ? 0x7d | (draw & 2) : 0x7f);
      return (one | (draw & 1) << 7) * 0x01010101U;
    }
    default:
      return 0x80000001 | (draw << 1);
  }
}

}  // namespace evo::evaluators::oracle
