// Patterns of size: every number as large, or as small, as its type has it.
#include <cmath>
#include <limits>

#include "evaluators/oracle/patterns.hpp"
#include "evaluators/oracle/rounding.hpp"
#include "model/random.hpp"

namespace evo::evaluators::oracle {
namespace {

/// Powers of two, so that nothing is rounded. Times normal numbers these stay within the type's range in sums
/// of products.
double large_factor(model::DType dtype) {
  return dtype == model::DType::f16 ? 0x1p8 : 0x1p20;
}

/// The largest finite number.
double greatest(model::DType dtype) {
  switch (dtype) {
    case model::DType::f16:
      return 65504;
    case model::DType::bf16:
      return 0x1.fep127;
    case model::DType::f64:
      return std::numeric_limits<double>::max();
    case model::DType::f8e4m3:
      return 448;
    case model::DType::f8e5m2:
      return 57344;
    default:
      return static_cast<double>(std::numeric_limits<float>::max());
  }
}

/// A factor rounds none of their multiples, so that a difference of equals is still 0 behind it. That of
/// other numbers of such a size would be off by thousands, and an exponential of it infinite.
void make_powers_of_two(std::vector<double>& values, double factor) {
  for (double& value : values)
    value = value == 0 ? 0 : std::copysign(std::ldexp(factor, std::ilogb(value)), value);
}

}  // namespace

void denormal(const model::BoundArgument& argument, std::vector<double>& values, std::uint64_t) {
  for (double& value : values) value *= smallest_normal(argument.dtype) / 8;
}

void lowest(const model::BoundArgument& argument, std::vector<double>& values, std::uint64_t draw) {
  const double least = -greatest(argument.dtype);
  model::RandomStream stream({.seed = draw, .generation = 0, .slot = 0, .purpose = "lowest"});
  // A 2048th of it at most above: as FP16 counts, its neighbour. -3.4e38 is further up.
  for (double& value : values) value = least * (1 - 0x1p-11 * stream.uniform());
}

void highest(const model::BoundArgument& argument, std::vector<double>& values, std::uint64_t draw) {
  lowest(argument, values, draw);
  for (double& value : values) value = -value;
}

void large(const model::BoundArgument& argument, std::vector<double>& values, std::uint64_t) {
  for (double& value : values) value *= large_factor(argument.dtype);
}

/// The square root of that: where all inputs are large, a product of two is as one that is large alone.
void larger(const model::BoundArgument& argument, std::vector<double>& values, std::uint64_t) {
  for (double& value : values) value *= std::sqrt(large_factor(argument.dtype));
}

/// Products of three stay within a 32-bit range, and what is squared twice does not: a norm that multiplies
/// two sums of squares before their
/// root. Of FP16, products of two leave it.
void vast(const model::BoundArgument& argument, std::vector<double>& values, std::uint64_t) {
  const double factor = argument.dtype == model::DType::f16 ? large_factor(argument.dtype) : 0x1p36;
  make_powers_of_two(values, factor);
}

/// Near the ends of a 32-bit range; the sum of a few stays within it. A 16-bit float has no room for more
/// than large().
void huge(const model::BoundArgument& argument, std::vector<double>& values, std::uint64_t) {
  const double factor = argument.dtype == model::DType::f16 ? large_factor(argument.dtype) : 0x1p122;
  make_powers_of_two(values, factor);
}

void huge_negative(const model::BoundArgument& argument, std::vector<double>& values, std::uint64_t draw) {
  huge(argument, values, draw);
  for (double& value : values) value = -std::abs(value);
}

void tiny(const model::BoundArgument& argument, std::vector<double>& values, std::uint64_t) {
  const double factor = argument.dtype == model::DType::f16 ? 1 / large_factor(argument.dtype) : 0x1p-100;
  for (double& value : values) value *= factor;
}

void faint(const model::BoundArgument&, std::vector<double>& values, std::uint64_t draw) {
  for (double& value : values) value = std::ldexp(value, -2 - static_cast<int>(draw % 5));
}

void fainter(const model::BoundArgument&, std::vector<double>& values, std::uint64_t draw) {
  for (double& value : values) value = std::ldexp(value, -7 - static_cast<int>(draw % 5));
}

void small(const model::BoundArgument& argument, std::vector<double>& values, std::uint64_t) {
  for (double& value : values) value /= large_factor(argument.dtype);
}

}  // namespace evo::evaluators::oracle
