#include "evaluators/oracle/elements.hpp"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "evaluators/oracle/float8.hpp"

namespace evo::evaluators::oracle {
namespace {

/// Rounds to a 16-bit format with `mantissa` stored bits and the bias 2^(exponent-1) - 1.
template <int exponent, int mantissa>
std::uint16_t round_to_16_bits(double value) {
  constexpr int bias = (1 << (exponent - 1)) - 1;
  constexpr std::uint64_t infinite = std::uint64_t{(1 << exponent) - 1} << mantissa;
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const std::uint64_t sign = (bits >> 48) & 0x8000;
  const int power = static_cast<int>((bits >> 52) & 0x7ff) - 1023;
  const std::uint64_t fraction = bits & ((std::uint64_t{1} << 52) - 1);
  if (power == 1024) {
    const std::uint64_t quiet = std::uint64_t{1} << (mantissa - 1);
    return static_cast<std::uint16_t>(sign | infinite | (fraction != 0 ? quiet : 0));
  }
  if (power > bias) return static_cast<std::uint16_t>(sign | infinite);
  if (power < -bias - mantissa) return static_cast<std::uint16_t>(sign);  // below half of the least subnormal
  std::uint64_t significand = fraction | (std::uint64_t{1} << 52);
  int shift = 52 - mantissa;
  std::uint64_t result = 0;
  if (power >= 1 - bias) {
    result = (static_cast<std::uint64_t>(power + bias) << mantissa) | (fraction >> shift);
  } else {
    shift += 1 - bias - power;
    result = significand >> shift;
  }
  const std::uint64_t remainder = significand & ((std::uint64_t{1} << shift) - 1);
  const std::uint64_t half = std::uint64_t{1} << (shift - 1);
  // A carry out of the mantissa runs into the exponent, which is what rounding up means there.
  if (remainder > half || (remainder == half && (result & 1) != 0)) ++result;
  return static_cast<std::uint16_t>(sign | result);
}

template <class T>
T read_as(const std::byte* address) {
  T value;
  std::memcpy(&value, address, sizeof value);
  return value;
}

template <class T>
void write_as(std::byte* address, T value) {
  std::memcpy(address, &value, sizeof value);
}

template <class T>
T integer_from(double value) {
  static_assert(std::is_integral_v<T>);
  if (std::isnan(value)) return T{0};
  const double rounded = std::nearbyint(value);
  if (rounded <= static_cast<double>(std::numeric_limits<T>::min())) return std::numeric_limits<T>::min();
  if (rounded >= static_cast<double>(std::numeric_limits<T>::max())) return std::numeric_limits<T>::max();
  return static_cast<T>(rounded);
}

}  // namespace

std::uint16_t half_from_double(double value) {
  return round_to_16_bits<5, 10>(value);
}
std::uint16_t bfloat16_from_double(double value) {
  return round_to_16_bits<8, 7>(value);
}

double double_from_bfloat16(std::uint16_t bits) {
  return double{std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16)};
}

double load_element(model::DType dtype, const std::byte* address) {
  using model::DType;
  switch (dtype) {
    case DType::f16:
      return double_from_half(read_as<std::uint16_t>(address));
    case DType::bf16:
      return double_from_bfloat16(read_as<std::uint16_t>(address));
    case DType::f32:
      return double{read_as<float>(address)};
    case DType::f64:
      return read_as<double>(address);
    case DType::i8:
      return read_as<std::int8_t>(address);
    case DType::u8:
      return read_as<std::uint8_t>(address);
    case DType::i32:
      return read_as<std::int32_t>(address);
    case DType::u32:
      return read_as<std::uint32_t>(address);
    case DType::i64:
      return static_cast<double>(read_as<std::int64_t>(address));
    case DType::u64:
      return static_cast<double>(read_as<std::uint64_t>(address));
    case DType::boolean:
      return read_as<std::uint8_t>(address);
    case DType::i16:
      return read_as<std::int16_t>(address);
    case DType::u16:
      return read_as<std::uint16_t>(address);
    case DType::f8e4m3:
      return double_from_e4m3(read_as<std::uint8_t>(address));
    case DType::f8e5m2:
      return double_from_e5m2(read_as<std::uint8_t>(address));
  }
  return std::numeric_limits<double>::quiet_NaN();
}

void store_element(model::DType dtype, double value, std::byte* address) {
  using model::DType;
  switch (dtype) {
    case DType::f16:
      return write_as(address, half_from_double(value));
    case DType::bf16:
      return write_as(address, bfloat16_from_double(value));
    case DType::f32:
      return write_as(address, static_cast<float>(value));
    case DType::f64:
      return write_as(address, value);
    case DType::i8:
      return write_as(address, integer_from<std::int8_t>(value));
    case DType::u8:
      return write_as(address, integer_from<std::uint8_t>(value));
    case DType::i32:
      return write_as(address, integer_from<std::int32_t>(value));
    case DType::u32:
      return write_as(address, integer_from<std::uint32_t>(value));
    case DType::i64:
      return write_as(address, integer_from<std::int64_t>(value));
    case DType::u64:
      return write_as(address, integer_from<std::uint64_t>(value));
    case DType::boolean:
      return write_as(address, static_cast<std::uint8_t>(value != 0));
    case DType::i16:
      return write_as(address, integer_from<std::int16_t>(value));
    case DType::u16:
      return write_as(address, integer_from<std::uint16_t>(value));
    case DType::f8e4m3:
      return write_as(address, e4m3_from_double(value));
    case DType::f8e5m2:
      return write_as(address, e5m2_from_double(value));
  }
}

}  // namespace evo::evaluators::oracle
