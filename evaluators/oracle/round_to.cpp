// Rounding of many numbers to 16 bits, without branches, so that the loop becomes vector code.
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "evaluators/oracle/rounding.hpp"

namespace evo::evaluators::oracle {
namespace {

/// To a format with `mantissa` stored bits and the bias 2^(exponent-1) - 1.
template <int exponent, int mantissa>
void round_all(std::span<double> values) {
  constexpr int bias = (1 << (exponent - 1)) - 1;
  constexpr int dropped = 52 - mantissa;
  constexpr std::uint64_t sign_bit = std::uint64_t{1} << 63;
  const double least_normal = std::ldexp(1.0, 1 - bias);
  const double beyond = std::ldexp(1.0, bias + 1);
  // Numbers of this size are multiples of the format's least subnormal: adding it rounds to one.
  const double coarse = std::ldexp(1.5, 52 + 1 - bias - mantissa);
  for (double& value : values) {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    const double magnitude = std::bit_cast<double>(bits & ~sign_bit);
    // A carry out of the mantissa runs into the exponent, which is what rounding up means there.
    const std::uint64_t up = (std::uint64_t{1} << (dropped - 1)) - 1 + ((bits >> dropped) & 1);
    const std::uint64_t kept = ((bits & ~sign_bit) + up) & ~((std::uint64_t{1} << dropped) - 1);
    double rounded = std::bit_cast<double>(kept);
    rounded = rounded >= beyond ? std::numeric_limits<double>::infinity() : rounded;
    rounded = magnitude < least_normal ? (magnitude + coarse) - coarse : rounded;
    rounded = magnitude != magnitude ? magnitude : rounded;
    value = std::bit_cast<double>(std::bit_cast<std::uint64_t>(rounded) | (bits & sign_bit));
  }
}

}  // namespace

void round_to(model::DType dtype, std::span<double> values) {
  return dtype == model::DType::f16 ? round_all<5, 10>(values) : round_all<8, 7>(values);
}

}  // namespace evo::evaluators::oracle
