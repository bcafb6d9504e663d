#include "evaluators/oracle/rounding.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "evaluators/oracle/elements.hpp"

namespace evo::evaluators::oracle {

bool equals_nearly(model::DType dtype, const std::byte* actual, double reference, unsigned ulps) {
  const auto size = static_cast<std::size_t>(model::size_of(dtype));
  std::array<std::byte, 8> rounded{};
  store_element(dtype, reference, rounded.data());
  if (std::equal(rounded.begin(), rounded.begin() + static_cast<std::ptrdiff_t>(size), actual)) return true;
  if (ulps == 0 || !is_floating(dtype) || !std::isfinite(load_element(dtype, actual))) return false;
  // Numbers of one sign are ordered as their bits are.
  const auto bits = [&](const std::byte* at) {
    std::uint64_t value = 0;
    std::memcpy(&value, at, size);
    return value;
  };
  const std::uint64_t a = bits(actual);
  const std::uint64_t b = bits(rounded.data());
  return std::max(a, b) - std::min(a, b) <= ulps;
}

double half_ulp(model::DType dtype, double value) {
  int precision = 0;  // bits of the significand
  int lowest = 0;     // exponent of the smallest normal number
  switch (dtype) {
    case model::DType::f16:
      precision = 11, lowest = -14;
      break;
    case model::DType::bf16:
      precision = 8, lowest = -126;
      break;
    case model::DType::f32:
      precision = 24, lowest = -126;
      break;
    case model::DType::f8e4m3:
      precision = 4, lowest = -6;
      break;
    case model::DType::f8e5m2:
      precision = 3, lowest = -14;
      break;
    default:
      return 0;
  }
  const int exponent = value == 0 || !std::isfinite(value) ? lowest : std::max(std::ilogb(value), lowest);
  return std::ldexp(1.0, exponent - precision);
}

double unit_in_last_place(model::DType dtype) {
  return dtype == model::DType::f64 ? 0x1p-52 : 2 * half_ulp(dtype, 1);
}

double smallest_normal(model::DType dtype) {
  if (dtype == model::DType::f16) return 0x1p-14;
  return dtype == model::DType::f64 ? 0x1p-1022 : 0x1p-126;
}

}  // namespace evo::evaluators::oracle
