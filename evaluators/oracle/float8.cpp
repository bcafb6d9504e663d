#include "evaluators/oracle/float8.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace evo::evaluators::oracle {
namespace {

/// `bits` without the sign as 1 + mantissa / 2^m times a power of two, or a subnormal.
double magnitude(unsigned bits, int mantissa_bits, int bias) {
  const int exponent = static_cast<int>(bits >> mantissa_bits);
  const double fraction = static_cast<double>(bits & ((1U << mantissa_bits) - 1));
  const double scale = static_cast<double>(1U << mantissa_bits);
  return exponent == 0 ? std::ldexp(fraction / scale, 1 - bias)
                       : std::ldexp(1 + fraction / scale, exponent - bias);
}

double signed_of(std::uint8_t bits, double size) {
  return (bits & 0x80) != 0 ? -size : size;
}

/// Magnitudes grow with their bits: the two on either side of `value` are found, and the nearer one wins.
std::uint8_t round_to(double value, unsigned largest, std::uint8_t nan, int mantissa_bits, int bias) {
  const std::uint8_t sign = std::signbit(value) ? 0x80 : 0;
  if (std::isnan(value)) return static_cast<std::uint8_t>(sign | nan);
  const double size = std::abs(value);
  unsigned below = 0, above = largest;
  if (size >= magnitude(largest, mantissa_bits, bias)) return static_cast<std::uint8_t>(sign | largest);
  while (above - below > 1) {
    const unsigned middle = (below + above) / 2;
    (magnitude(middle, mantissa_bits, bias) <= size ? below : above) = middle;
  }
  const double down = size - magnitude(below, mantissa_bits, bias);
  const double up = magnitude(above, mantissa_bits, bias) - size;
  const bool rounds_up = up < down || (up == down && below % 2 == 1);
  return static_cast<std::uint8_t>(sign | (rounds_up ? above : below));
}

}  // namespace

double double_from_e4m3(std::uint8_t bits) {
  const unsigned size = bits & 0x7f;
  return signed_of(bits, size == 0x7f ? std::numeric_limits<double>::quiet_NaN() : magnitude(size, 3, 7));
}

double double_from_e5m2(std::uint8_t bits) {
  const unsigned size = bits & 0x7f;
  if (size == 0x7c) return signed_of(bits, std::numeric_limits<double>::infinity());
  return signed_of(bits, size > 0x7c ? std::numeric_limits<double>::quiet_NaN() : magnitude(size, 2, 15));
}

std::uint8_t e4m3_from_double(double value) {
  return round_to(value, 0x7e, 0x7f, 3, 7);
}
std::uint8_t e5m2_from_double(double value) {
  return round_to(value, 0x7b, 0x7e, 2, 15);
}

}  // namespace evo::evaluators::oracle
