// Numbers that are equal or neighbours, and zeros of both signs: at the top, and with nothing below them.
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "evaluators/oracle/patterns.hpp"
#include "tests/oracle/pattern_sets.hpp"
#include "tests/support/cases.hpp"

namespace evo::evaluators::oracle {
namespace {

TEST(Patterns, NearTiesAreNeighboursAndZerosOfBothSigns) {
  model::Case bound = tests::vector_add_case(2000);
  bound.arguments[0].shape = {20, 100};
  bound.arguments[0].strides = {100, 1};
  const auto values = values_of(bound, {"near_ties everywhere", "near_ties", {}}, 0);
  const auto has = [&](double wanted) {
    return std::ranges::any_of(
        values, [&](double value) { return value == wanted && std::signbit(value) == std::signbit(wanted); });
  };
  for (const double wanted : {0.0, -0.0, -1.0, 1.0, 1 + 0x1p-23}) EXPECT_TRUE(has(wanted)) << wanted;
}

TEST(Patterns, WhereAnOutputIsAnIntegerTheLeastAreCloseTogetherToo) {
  model::Case bound = tests::vector_add_case(640);
  for (model::BoundArgument& argument : bound.arguments) {
    argument.shape = {8, 80};
    argument.strides = {80, 1};
  }
  const auto near = values_of(bound, {"near_ties everywhere", "near_ties_below", {}}, 0);
  std::size_t with_zeros = 0;
  for (std::size_t row = 0; row < 8; ++row) {
    const auto begin = near.begin() + static_cast<std::ptrdiff_t>(80 * row), end = begin + 80;
    const double least = *std::min_element(begin, end);
    with_zeros += least == 0 ? 1 : 0;
    const auto has_zero = [&](bool minus) {
      return std::any_of(begin, end, [&](double v) { return v == 0 && std::signbit(v) == minus; });
    };
    EXPECT_TRUE(least == 0 ? has_zero(true) && has_zero(false) : least == -1 - 0x1p-23) << least;
  }
  EXPECT_EQ(with_zeros, 4U);
  EXPECT_TRUE(has_ties({"near_ties_below everywhere", "near_ties_below", {}}));
  const auto teeth = values_of(bound, {"comb_below everywhere", "comb_below", {}}, 0);
  EXPECT_GE(std::ranges::count_if(teeth, [](double value) { return value < -10; }), 16)
      << "two of 80 or three";
  EXPECT_TRUE(std::ranges::none_of(teeth, [](double value) { return value > 10; }));
  EXPECT_GT(std::ranges::count(teeth, -16.0), 4);
  EXPECT_GT(std::ranges::count(teeth, -16 - 0x1p-19), 0) << "its neighbour";
  EXPECT_TRUE(has_ties({"comb_below everywhere", "comb_below", {}}));

  std::vector<model::Argument> arguments = arguments_of(bound);
  const auto asked = [&](std::string_view kind) {
    return std::ranges::any_of(structured_sets(arguments),
                               [&](const model::InputSet& set) { return set.kind == kind; });
  };
  EXPECT_FALSE(asked("near_ties_below") || asked("comb_below"));
  for (model::Argument& argument : arguments)
    if (model::is_judged(argument.role)) argument.dtype = model::DType::i32;
  EXPECT_TRUE(asked("near_ties_below") && asked("comb_below"));
}

}  // namespace
}  // namespace evo::evaluators::oracle
