// Inputs in which the numbers of the code stand.
#include "evaluators/oracle/patterns.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <memory>
#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "evaluators/oracle/compare.hpp"
#include "evaluators/oracle/comparison_options.hpp"
#include "evaluators/oracle/conditioning.hpp"
#include "evaluators/oracle/elements.hpp"
#include "evaluators/oracle/expression_oracle.hpp"
#include "evaluators/oracle/layout.hpp"
#include "evaluators/oracle/packed_words.hpp"
#include "evaluators/oracle/plain_integers.hpp"
#include "evaluators/oracle/reference_cache.hpp"
#include "evaluators/oracle/rounding.hpp"
#include "tests/oracle/pattern_sets.hpp"
#include "tests/support/cases.hpp"
#include "tests/support/known.hpp"

namespace evo::evaluators::oracle {
namespace {

TEST(Patterns, NumbersOfTheCodeStandInEveryFloatingPointInputWithTheirNeighbours) {
  const model::Case bound = tests::vector_add_case(2000);
  const auto set = set_of_numbers(arguments_of(bound), {3, 1234.5});
  ASSERT_TRUE(set);
  for (const std::size_t argument : {std::size_t{0}, std::size_t{1}}) {
    const auto values = values_of(bound, *set, argument);
    for (const float wanted : {3.F, 1234.5F, std::nextafter(3.F, 4.F), std::nextafter(3.F, 2.F),
                               3 * (1 + 0x1p-8F), 3 * (1 - 0x1p-8F)})
      EXPECT_GT(std::ranges::count(values, static_cast<double>(wanted)), 20) << wanted;
    EXPECT_GT(std::ranges::count_if(values, [](double value) { return std::abs(value) < 2; }), 500);
  }
  EXPECT_NE(set->name, set_of_numbers(arguments_of(bound), {3})->name);  // references are kept by it
  EXPECT_FALSE(set_of_numbers(arguments_of(bound), {}));
  EXPECT_FALSE(set_of_numbers(arguments_of(bound), {}, {123456})) << "no integers";
}

TEST(Patterns, IntegersOfTheCodeAreThoseThatTheTypeHasRoomFor) {
  model::Case bound = tests::vector_add_case(2000);
  const auto fitting = [&](model::DType dtype) {
    for (model::BoundArgument& argument : bound.arguments) argument.dtype = dtype;
    return integers_that_fit(bound, 0, {-987654321, 777, 123456789, 0x1p40}, 2000);
  };
  EXPECT_EQ(fitting(model::DType::i32), (std::vector<double>{-987654321, 777, 123456789}));
  EXPECT_EQ(fitting(model::DType::u32), (std::vector<double>{0x1p32 - 987654321, 777, 123456789}));
  EXPECT_EQ(fitting(model::DType::i64), (std::vector<double>{-987654321, 777, 123456789, 0x1p40}));
  // Beside a float output sums may not overflow.
  for (model::BoundArgument& argument : bound.arguments) argument.dtype = model::DType::i32;
  bound.arguments[2].dtype = model::DType::f32;
  EXPECT_EQ(integers_that_fit(bound, 0, {-987654321, 777}, 2000), (std::vector<double>{777}));
}

TEST(Patterns, NumbersThatAreComparedThemselvesAreNotLostAmongOthers) {
  const model::Case bound = tests::vector_add_case(2000);
  std::vector<double> many{8};
  for (int i = 1; i < 20; ++i) many.push_back(100 + i);
  const auto above = [&](const model::InputSet& set) {
    const auto values = values_of(bound, set, 0);
    return std::ranges::count_if(values, [](double value) { return value > 8 && value < 8.1; });
  };
  EXPECT_GT(above(*set_of_numbers(arguments_of(bound), many, {}, {8})), 100);
  EXPECT_LT(above(*set_of_numbers(arguments_of(bound), many)), 50);
}

TEST(Patterns, InEverySecondCaseNumbersAreSmall) {
  model::Case bound = tests::vector_add_case(2000);
  int small = 0, large = 0, beyond = 0;
  for (int i = 0; i < 40; ++i) {
    bound.name = fmt::format("case {}", i);
    const auto values = values_of(bound, *set_of_numbers(arguments_of(bound), {8, 1e30}), 0);
    EXPECT_GT(std::ranges::count(values, 8), 50);
    beyond += std::ranges::count(values, 12) > 20 ? 1 : 0;
    (std::ranges::any_of(values, [](double value) { return value > 1e20; }) ? large : small) += 1;
  }
  EXPECT_GT(small, 5);
  EXPECT_GT(large, 5);
  EXPECT_GT(beyond, 5);
  EXPECT_LT(beyond, 35) << "an exponential may have no room for that";
}

TEST(Patterns, NumbersWhoseSumsLeaveHalfStandInOneInputAtATime) {
  model::Case bound = tests::vector_add_case(2000);
  for (model::BoundArgument& argument : bound.arguments) argument.dtype = model::DType::f16;
  const auto both = [&](double number) {
    const auto set = set_of_numbers(arguments_of(bound), {number});
    const auto a = values_of(bound, *set, 0), b = values_of(bound, *set, 1);
    int ones = 0, pairs = 0;
    for (std::size_t e = 0; e < a.size(); ++e) {
      ones += a[e] > number / 2 || b[e] > number / 2 ? 1 : 0;
      pairs += a[e] > number / 2 && b[e] > number / 2 ? 1 : 0;
    }
    EXPECT_GT(ones, 500);
    return pairs;
  };
  EXPECT_EQ(both(60000), 0);
  EXPECT_GT(both(1000), 100);
}

TEST(Patterns, WordsHoldTheNumbersOfTheCodeWhateverTheirSize) {
  model::Case bound = tests::vector_add_case(2000);
  bound.arguments[0].dtype = model::DType::u32;
  const auto sets = sets_of_words(arguments_of(bound), {-2, 77});
  ASSERT_EQ(sets.size(), 1U);
  EXPECT_EQ(sets[0].kind, bits_kind) << "asked where they are words";
  const auto values = values_of(bound, sets[0], 0);
  EXPECT_GT(std::ranges::count(values, 0x1p32 - 2), 10);
  EXPECT_GT(std::ranges::count(values, 77), 10);
  EXPECT_GT(std::ranges::count_if(values, [](double value) { return value > 0x1p31; }), 500);
  EXPECT_TRUE(sets_of_words(arguments_of(bound), {}).empty());
  for (model::BoundArgument& argument : bound.arguments) argument.dtype = model::DType::u32;
  EXPECT_TRUE(sets_of_words(arguments_of(bound), {-2}).empty()) << "the set of numbers has them";
}

}  // namespace
}  // namespace evo::evaluators::oracle
