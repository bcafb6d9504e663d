// Cases that all hang on a few integers, or whose answers are few.
#include "evaluators/oracle/few_numbers.hpp"

#include <gtest/gtest.h>

#include "tests/support/cases.hpp"

namespace evo::evaluators::oracle {
namespace {

using model::ArgumentRole;
using model::DType;

model::Case turned_by(DType angle, std::int64_t angles, DType output, std::int64_t elements) {
  model::Case bound;
  bound.arguments = {tests::array_argument("pos", ArgumentRole::input, angle, {angles}),
                     tests::array_argument("y", ArgumentRole::output, output, {elements})};
  return bound;
}

TEST(FewIntegers, AreAFewBesideFloatingPointOutputs) {
  EXPECT_TRUE(hangs_on_few_integers(turned_by(DType::i32, 1, DType::f32, 64)));
  EXPECT_FALSE(hangs_on_few_integers(turned_by(DType::i32, 20, DType::f32, 64))) << "many";
  EXPECT_FALSE(hangs_on_few_integers(turned_by(DType::f32, 1, DType::f32, 64))) << "none";
  EXPECT_FALSE(hangs_on_few_integers(turned_by(DType::i32, 1, DType::i32, 64))) << "nothing is rounded";
  EXPECT_FALSE(hangs_on_few_integers(turned_by(DType::i32, 1, DType::f32, 100000))) << "large";
}

TEST(FewNumbers, AreOutputsOfFewFloatingPointNumbersOfASmallCase) {
  const auto row = [](DType type, std::int64_t answers, std::int64_t terms) {
    model::Case bound;
    bound.arguments = {tests::array_argument("x", ArgumentRole::input, DType::f32, {terms}),
                       tests::array_argument("y", ArgumentRole::output, type, {answers})};
    return is_of_few_numbers(bound, bound.arguments[1]);
  };
  EXPECT_TRUE(row(DType::f32, 1, 200));
  EXPECT_TRUE(row(DType::f32, 4, 200));
  EXPECT_FALSE(row(DType::f32, 5, 200)) << "one of many is as it is usually";
  EXPECT_FALSE(row(DType::i32, 1, 200)) << "nothing is rounded";
  EXPECT_FALSE(row(DType::f32, 1, 100000)) << "large";
}

TEST(FewNumbers, OfAnotherDrawAreAsLargeWithinAFactorOfEight) {
  model::Case bound;
  bound.arguments = {tests::array_argument("x", ArgumentRole::input, DType::f32, {64}),
                     tests::array_argument("y", ArgumentRole::output, DType::f32, {1})};
  const auto alike = [&](double here, double there) {
    return are_as_large(bound, {{}, {here}}, {{}, {there}});
  };
  EXPECT_TRUE(alike(1, -7.9));
  EXPECT_TRUE(alike(7.9, 1));
  EXPECT_FALSE(alike(1, 8.1)) << "what is off by as much of it there is off by more here";
  EXPECT_FALSE(alike(8.1, 1));
  EXPECT_FALSE(alike(1, 0));
}

TEST(FewIntegers, TheLargerErrorsCountAsWhereOutputsAreAsSmall) {
  const std::vector<OutputErrors> here{{}, {1e-8, 2e-8}}, there{{}, {4e-7, 3e-9}};
  const ReferenceOutputs ones{{}, {1, -1}}, tens{{}, {10, -10}}, zeros{{}, {0, 0}};
  const auto alike = larger_errors(here, ones, there, ones);
  EXPECT_DOUBLE_EQ(alike[1].rms, 4e-7);
  EXPECT_DOUBLE_EQ(alike[1].largest, 2e-8);
  EXPECT_DOUBLE_EQ(larger_errors(here, ones, there, tens)[1].rms, 4e-8);
  EXPECT_DOUBLE_EQ(larger_errors(here, tens, there, ones)[1].rms, 4e-7) << "never more";
  EXPECT_DOUBLE_EQ(larger_errors(here, ones, there, zeros)[1].rms, 1e-8) << "of nothing";
}

}  // namespace
}  // namespace evo::evaluators::oracle
