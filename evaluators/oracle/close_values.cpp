// Patterns of numbers that are close together: within what one lane looks at, and from one tile to the next.
#include <algorithm>
#include <array>
#include <cmath>

#include "evaluators/oracle/elements.hpp"
#include "evaluators/oracle/patterns.hpp"
#include "evaluators/oracle/rounding.hpp"
#include "model/random.hpp"

namespace evo::evaluators::oracle {
namespace {

struct Sides {
  explicit Sides(const model::BoundArgument& argument) {
    const auto& shape = argument.shape;
    const auto side = [&](std::size_t from_end) {
      if (shape.size() < from_end) return std::size_t{1};
      return std::max<std::size_t>(static_cast<std::size_t>(shape[shape.size() - from_end]), 1);
    };
    columns = side(1);
    rows = side(2);
  }
  std::size_t rows = 1, columns = 1;
};

/// Which of a row's teeth differ, and how.
enum class Teeth : std::uint8_t { last_is_more, neighbours, last_is_less, either_sign };
constexpr std::array all_teeth{Teeth::last_is_more, Teeth::neighbours, Teeth::last_is_less,
                               Teeth::either_sign};

}  // namespace

void near_comb(const model::BoundArgument& argument, std::vector<double>& values, std::uint64_t draw) {
  constexpr std::size_t tooth = 32;
  // Just below a power of two a unit in the last place is the least share of a number: who compares with an
  // epsilon of that size takes neighbours for equal here, and not just above.
  const double unit = 16 * unit_in_last_place(argument.dtype), next = 32 - unit, height = next - unit;
  const auto [rows, columns] = Sides(argument);
  model::RandomStream stream({.seed = draw, .generation = 0, .slot = 0, .purpose = "near comb"});
  Teeth teeth = all_teeth.front();
  std::size_t special = 0, first = 0;
  for (std::size_t e = 0; e < values.size(); ++e) {
    const std::size_t column = e % columns;
    if (column == 0) {
      // The one in question is behind others of its lane, however many elements a thread goes on by.
      const std::size_t count = (columns + tooth - 1) / tooth;
      special = count - 1 - stream.below(std::max<std::size_t>(count / 2, 1));
      const std::size_t row = e / columns % rows;
      teeth = all_teeth[(row + draw) % all_teeth.size()];
      first = first_tooth(columns, draw / all_teeth.size(), row / all_teeth.size());
    }
    const std::uint64_t drawn = stream.below(2);
    if (column % tooth != first) continue;
    const bool differs = column / tooth == special;
    if (teeth == Teeth::last_is_more) values[e] = differs ? next : height;
    if (teeth == Teeth::neighbours) values[e] = drawn == 0 ? next : height;
    if (teeth == Teeth::last_is_less) values[e] = differs ? -next : -height;
    if (teeth == Teeth::either_sign) values[e] = drawn == 0 ? height : -height;
  }
}

void near_ties_below(const model::BoundArgument& argument, std::vector<double>& values, std::uint64_t draw) {
  near_ties(argument, values, draw);
  for (double& value : values) value = -value;
}

void comb_below(const model::BoundArgument& argument, std::vector<double>& values, std::uint64_t draw) {
  constexpr std::size_t tooth = 32;
  const double next = 16 + 16 * unit_in_last_place(argument.dtype);
  const auto [rows, columns] = Sides(argument);
  model::RandomStream stream({.seed = draw, .generation = 0, .slot = 0, .purpose = "comb below"});
  for (std::size_t e = 0; e < values.size(); ++e) {
    const std::size_t column = e % columns;
    const std::size_t row = e / columns % rows;
    if (column % tooth != first_tooth(columns, draw / 2, row / 2)) continue;
    const bool alike = rows == 1 || (row + draw) % 2 == 0;
    // The first of a row is not the one in question.
    const bool lower = stream.below(3) == 0 && column >= tooth;
    values[e] = alike ? (lower ? -next : -16) : values[e] - 16;
  }
}

void creeping(const model::BoundArgument& argument, std::vector<double>& values, std::uint64_t draw) {
  const auto [rows, columns] = Sides(argument);
  // A tile of 16 to 256 elements is above the one before by a thousandth or less, by one of the two.
  const double slope = std::ldexp(1.0, -15 - static_cast<int>(draw % 4));
  for (std::size_t e = 0; e < values.size(); ++e)
    values[e] = 0.0625 + slope * static_cast<double>(e % columns + e / columns % rows);
}

}  // namespace evo::evaluators::oracle
