#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "evaluators/oracle/patterns.hpp"
#include "model/random.hpp"

namespace evo::evaluators::oracle {
namespace {

/// exp(88.7) is the largest that FP32 holds, and exp(11) that FP16 does: a maximum that is stale by this much
/// overflows in both.
constexpr double height = 120;

/// Row-major sizes of an argument's last two dimensions; a vector is one row.
struct Matrix {
  explicit Matrix(const model::BoundArgument& argument) {
    const auto& shape = argument.shape;
    columns = shape.empty() ? 1 : static_cast<std::size_t>(shape.back());
    rows = shape.size() < 2 ? 1 : static_cast<std::size_t>(shape[shape.size() - 2]);
  }
  [[nodiscard]] std::size_t row(std::size_t element) const { return element / columns % rows; }
  [[nodiscard]] std::size_t column(std::size_t element) const { return element % columns; }
  std::size_t rows, columns;
};

double share(std::size_t index, std::size_t count) {
  return count > 1 ? static_cast<double>(index) / static_cast<double>(count - 1) : 0;
}

void ramp(const model::BoundArgument& argument, std::vector<double>& values, double sign) {
  const Matrix matrix(argument);
  for (std::size_t e = 0; e < values.size(); ++e) {
    const double place = share(matrix.row(e), matrix.rows) + share(matrix.column(e), matrix.columns);
    values[e] += sign * height * (place - 1);
  }
}

/// The spike stands in one row and in one column, so that every row and every column meets it once.
void spike(const model::BoundArgument& argument, std::vector<double>& values, bool last) {
  const Matrix matrix(argument);
  const std::size_t row = last ? matrix.rows - 1 : 0, column = last ? matrix.columns - 1 : 0;
  for (std::size_t e = 0; e < values.size(); ++e) {
    if ((matrix.rows > 1 && matrix.row(e) == row) || matrix.column(e) == column) values[e] += height;
  }
}

}  // namespace

void rising(const model::BoundArgument& argument, std::vector<double>& values, std::uint64_t) {
  ramp(argument, values, 1);
}

void falling(const model::BoundArgument& argument, std::vector<double>& values, std::uint64_t) {
  ramp(argument, values, -1);
}

void late_spike(const model::BoundArgument& argument, std::vector<double>& values, std::uint64_t) {
  spike(argument, values, true);
}

void early_spike(const model::BoundArgument& argument, std::vector<double>& values, std::uint64_t) {
  spike(argument, values, false);
}

void dominant(const model::BoundArgument& argument, std::vector<double>& values, std::uint64_t draw) {
  const Matrix matrix(argument);
  model::RandomStream stream({.seed = draw, .generation = 0, .slot = 0, .purpose = "dominant"});
  std::size_t chosen = 0;
  for (std::size_t e = 0; e < values.size(); ++e) {
    if (matrix.column(e) == 0) chosen = stream.below(matrix.columns);
    values[e] = matrix.column(e) == chosen ? height : 1;
  }
}

void peak(const model::BoundArgument& argument, std::vector<double>& values, std::uint64_t draw) {
  const int exponent = model::size_of(argument.dtype) == 1   ? 5
                       : argument.dtype == model::DType::f16 ? 12
                                                             : 17;
  const Matrix matrix(argument);
  model::RandomStream stream({.seed = draw, .generation = 0, .slot = 0, .purpose = "peak"});
  std::size_t chosen = 0;
  for (std::size_t e = 0; e < values.size(); ++e) {
    if (matrix.column(e) == 0) {
      const std::uint64_t way = stream.below(4), any = stream.below(matrix.columns);
      chosen = way < 2 ? 0 : way == 2 ? matrix.columns - 1 : any;
    }
    if (matrix.column(e) == chosen) values[e] = std::ldexp(values[e] < 0 ? -1.0 : 1.0, exponent);
  }
}

void plateau(const model::BoundArgument& argument, std::vector<double>& values, std::uint64_t draw) {
  const Matrix matrix(argument);
  model::RandomStream stream({.seed = draw, .generation = 0, .slot = 0, .purpose = "plateau"});
  std::size_t chosen = 0;
  double above = 0;
  for (std::size_t e = 0; e < values.size(); ++e) {
    if (matrix.column(e) == 0) {
      chosen = stream.below(matrix.columns);
      above = 6 + static_cast<double>(stream.below(20));
    }
    values[e] = matrix.column(e) == chosen ? above : 0;
  }
}

void shelf(const model::BoundArgument& argument, std::vector<double>& values, std::uint64_t draw) {
  constexpr std::size_t least = 32, most = 256;
  constexpr double spread = 0.125, lone_shelf = 11.5;
  const Matrix matrix(argument);
  model::RandomStream stream({.seed = draw, .generation = 0, .slot = 0, .purpose = "shelf"});
  // Most is lost beside a warp's; of others lanes of larger blocks have one, too.
  std::size_t end = std::min(least, (matrix.columns + 1) / 2);
  while (draw % 2 == 0 && end < most && 4 * end <= matrix.columns) end *= 2;
  double below = 0;
  bool alone = false;
  for (std::size_t e = 0; e < values.size(); ++e) {
    // The nearer the more is lost; further down it is no more than what sums of many terms are granted.
    // Beside a single largest number that is further down than beside many.
    if (matrix.column(e) == 0) {
      below = 8.5 + 2.5 * stream.uniform();
      alone = (matrix.row(e) + static_cast<std::size_t>(draw / 2)) % 2 != 0;
      if (alone) below = lone_shelf + 3 * stream.uniform();
    }
    const std::size_t top = alone ? 1 : end;
    values[e] = matrix.column(e) < top ? 0 : spread * std::clamp(values[e], -2.0, 2.0) - below;
  }
}

void cancellation(const model::BoundArgument& argument, std::vector<double>& values, std::uint64_t) {
  const Matrix matrix(argument);
  for (std::size_t e = 0; e < values.size(); ++e)
    values[e] += (matrix.row(e) + matrix.column(e)) % 2 == 0 ? height : -height;
}

void ones(const model::BoundArgument&, std::vector<double>& values, std::uint64_t) {
  std::fill(values.begin(), values.end(), 1.0);
}

void all_zero(const model::BoundArgument&, std::vector<double>& values, std::uint64_t) {
  std::fill(values.begin(), values.end(), 0.0);
}

void zeros(const model::BoundArgument& argument, std::vector<double>& values, std::uint64_t draw) {
  const Matrix matrix(argument);
  model::RandomStream stream({.seed = draw, .generation = 0, .slot = 0, .purpose = "zeros"});
  for (std::size_t e = 0; e < values.size(); ++e) {
    if (stream.below(2) == 0 || (matrix.rows > 1 && matrix.row(e) == matrix.rows / 2)) values[e] = 0;
  }
}

/// Which of several equals is meant (a position, an order) shows where there are some. Adding 0 makes 0 of
/// -0.
void ties(const model::BoundArgument&, std::vector<double>& values, std::uint64_t) {
  for (double& value : values) value = std::clamp(std::nearbyint(value), -2.0, 2.0) + 0.0;
}

std::size_t first_tooth(std::size_t columns, std::uint64_t draw, std::uint64_t turn) {
  constexpr std::size_t tooth = 32;
  const std::size_t rest = columns % tooth, drawn = draw % tooth;
  const bool longest = (draw / tooth + turn) % 2 == 0;
  return longest && columns > tooth && rest > 0 ? drawn % rest : drawn;
}

/// Every 32nd number is far above the others, from a drawn one on: who keeps a few of each lane, bank or
/// thread loses some. In every second row, or vector, they are equal: who keeps the largest and what is below
/// it loses the second of them.
void comb(const model::BoundArgument& argument, std::vector<double>& values, std::uint64_t draw) {
  constexpr std::size_t tooth = 32;
  const Matrix matrix(argument);
  for (std::size_t e = 0; e < values.size(); ++e) {
    if (matrix.column(e) % tooth != first_tooth(matrix.columns, draw / 2, matrix.row(e) / 2)) continue;
    const bool equal = (matrix.row(e) + draw) % 2 == 0;
    values[e] = equal ? 16 : values[e] + 16;
  }
}

/// Neighbours in the type, and zeros of both signs: equal to who looks at some of the bits, or different to
/// who looks at all of them.
void near_ties(const model::BoundArgument& argument, std::vector<double>& values, std::uint64_t draw) {
  const double step = argument.dtype == model::DType::f16    ? 0x1p-10
                      : argument.dtype == model::DType::bf16 ? 0x1p-7
                                                             : 0x1p-23;
  model::RandomStream stream({.seed = draw, .generation = 0, .slot = 0, .purpose = "near ties"});
  // Whole rows in turn, or now this and now that in all of a vector: what is above zero hides which of the
  // zeros was meant. Those of one sign come first, those of the other last, the other way in the next
  // row.
  constexpr std::size_t stretch = 64;
  const Matrix matrix(argument);
  const std::size_t length = matrix.rows > 1 ? matrix.columns : stretch;
  const bool all_about_zero = matrix.rows == 1 && draw % 2 == 0;
  for (std::size_t e = 0; e < values.size(); ++e) {
    const std::size_t part = e / length, third = 3 * (e % length) / length;
    const std::uint64_t drawn = stream.below(6);
    const bool neighbours = matrix.rows == 1 ? !all_about_zero : (part + draw) % 2 != 0;
    if (neighbours) {
      // Few are the larger: the first is not the one in question.
      values[e] = drawn == 0 && e % length > 0 ? 1 + step : 1;
    } else if (drawn < 2) {
      values[e] = -1;
    } else {
      const bool minus_first = (part / 2) % 2 == 0;
      const bool minus = third == 1 ? drawn % 2 == 0 : (third == 0) == minus_first;
      values[e] = minus ? -0.0 : 0.0;
    }
  }
}

/// Odd multiples of 1/2 to 1/256: whoever makes integers of them, also behind a factor that is a power of
/// two, has to round in the middle between two; and with five bits they lie in the middle between two numbers
/// of an FP8.
void halves(const model::BoundArgument&, std::vector<double>& values, std::uint64_t draw) {
  model::RandomStream stream({.seed = draw, .generation = 0, .slot = 0, .purpose = "halves"});
  for (double& value : values) {
    // Sums of their products are exact in float.
    const double odd = 2 * static_cast<double>(stream.below(32)) - 31;
    value = std::ldexp(odd, -1 - static_cast<int>(stream.below(8)));
  }
}

/// In the middle between two neighbours of a narrower type, BF16, half or TF32, FP8: whoever rounds to one by
/// hand shows what he does there. Stretches of one type each.
void narrow_halves(const model::BoundArgument& argument, std::vector<double>& values, std::uint64_t draw) {
  constexpr std::array<int, 4> fraction_bits{7, 10, 3, 2};
  const int own_bits = argument.dtype == model::DType::f16    ? 10
                       : argument.dtype == model::DType::bf16 ? 7
                       : model::size_of(argument.dtype) == 1  ? 3
                                                              : 23;
  model::RandomStream stream({.seed = draw, .generation = 0, .slot = 0, .purpose = "narrow halves"});
  int bits = 0;
  for (std::size_t e = 0; e < values.size(); ++e) {
    if (e % 32 == 0) bits = std::min(fraction_bits[stream.below(fraction_bits.size())], own_bits - 1);
    const double odd = 2 * static_cast<double>(stream.below(std::uint64_t{1} << bits)) + 1;
    const double value = std::ldexp(1 + std::ldexp(odd, -bits - 1), static_cast<int>(stream.below(8)) - 4);
    values[e] = stream.below(2) == 0 ? value : -value;
  }
}

void special_values(const model::BoundArgument&, std::vector<double>& values, std::uint64_t draw) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  constexpr std::array<double, 3> special{infinity, -infinity, std::numeric_limits<double>::quiet_NaN()};
  model::RandomStream stream({.seed = draw, .generation = 0, .slot = 0, .purpose = "special values"});
  // One kind for a stretch of elements: an infinity shows where no NaN is near.
  std::size_t kind = 0;
  for (std::size_t e = 0; e < values.size(); ++e) {
    if (e % 64 == 0) kind = stream.below(special.size());
    if (stream.below(24) == 0) values[e] = special[kind];
  }
}

void not_numbers(const model::BoundArgument&, std::vector<double>& values, std::uint64_t draw) {
  model::RandomStream stream({.seed = draw, .generation = 0, .slot = 0, .purpose = "not numbers"});
  for (double& value : values) {
    if (stream.below(24) == 0) value = std::numeric_limits<double>::quiet_NaN();
  }
}

}  // namespace evo::evaluators::oracle
