// Several scalars with values of their own at once.
#include "evaluators/gates/scalar_rows.hpp"

#include "evaluators/gates/integers_together.hpp"
#include "evaluators/gates/scalar_room.hpp"
#include "evaluators/gates/scalars_of_ties.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include <gtest/gtest.h>

#include "tests/support/cases.hpp"

namespace evo::evaluators::gates::scalar_rows_cases {
namespace {

model::RandomStream stream() {
  return model::RandomStream({.seed = 3, .generation = 0, .slot = 0, .purpose = "test"});
}

model::Case scalars_of(std::size_t count) {
  model::Case bound;
  for (std::size_t i = 0; i < count; ++i)
    bound.arguments.push_back(tests::scalar_argument("s", model::DType::f32, 0.7));
  bound.arguments.push_back(tests::scalar_argument("flag", model::DType::i32, 3));
  return bound;
}

TEST(ScalarRows, AllCombinationsOfFew) {
  model::RandomStream draws = stream();
  const auto rows = scalar_rows(scalars_of(2), {{0, {0, 1}}, {1, {0}}, {2, {5}}}, 3, draws);
  std::set<std::pair<std::map<std::size_t, double>, std::size_t>> all;
  for (const ScalarRow& row : rows) all.insert({row.scalars, row.shape});
  EXPECT_EQ(all.size(), rows.size());
  EXPECT_EQ(rows.size(), 3U * 2 * 3 - 3 - 3) << "not as they are, nor one alone on the first shape";
  const std::map<std::size_t, double> one_and_zero{{0, 1.0}, {1, 0.0}}, zero{{1, 0.0}};
  EXPECT_TRUE(all.contains({one_and_zero, 0}));
  EXPECT_TRUE(all.contains({zero, 2}));
  EXPECT_FALSE(all.contains({zero, 0}));
}

TEST(ScalarRows, RoomIsForTheLargestAndOneInTheMiddle) {
  EXPECT_EQ(values_with_room({3, -40, 200, 7, 60}), (std::vector<std::int64_t>{200, -40}));
  EXPECT_EQ(values_with_room({2, 4}), (std::vector<std::int64_t>{4, 2}));
  EXPECT_EQ(values_with_room({0, 1, -1, 65536, -4097, 4096}), (std::vector<std::int64_t>{4096}))
      << "flags need none, and no axis has it for counts";
  EXPECT_TRUE(values_with_room({}).empty());
}

TEST(ScalarRows, EachTwoOfMany) {
  model::RandomStream draws = stream();
  const auto rows =
      scalar_rows(scalars_of(4), {{0, {0, 1}}, {1, {0, 1}}, {2, {0, 1}}, {3, {0, -1}}}, 4, draws);
  EXPECT_LE(rows.size(), 24U);
  const auto meet = [&](std::size_t a, double of_a, std::size_t b, double of_b) {
    return std::any_of(rows.begin(), rows.end(), [&](const ScalarRow& row) {
      return row.scalars.contains(a) && row.scalars.at(a) == of_a && row.scalars.contains(b) &&
             row.scalars.at(b) == of_b;
    });
  };
  EXPECT_TRUE(meet(0, 0, 1, 0));
  EXPECT_TRUE(meet(0, 1, 3, -1));
  EXPECT_TRUE(meet(2, 1, 3, 0));
}

using Values = std::map<std::size_t, double>;
using Equal = std::map<std::size_t, std::vector<std::int64_t>>;

/// Two integers, of these usual values, with a range.
struct TwoOfARange {
  TwoOfARange(std::int64_t a, std::int64_t b) {
    for (const std::int64_t value : {a, b}) {
      model::Argument argument;
      argument.role = model::ArgumentRole::scalar;
      argument.dtype = model::DType::i32;
      argument.scalar = {model::ScalarValue::Form::integer,
                         *model::Expression::parse(std::to_string(value), "p", 1)};
      argument.range = model::ScalarRange{-100, 90.5};
      problem.arguments.push_back(argument);
      bound.arguments.push_back(tests::scalar_argument("s", model::DType::i32, 0));
      bound.arguments.back().scalar_integer = value;
    }
  }
  [[nodiscard]] std::vector<Values> rows(const Equal& equal = {}) const {
    model::RandomStream draws = stream();
    return integers_together(problem, bound, equal, draws);
  }
  [[nodiscard]] bool has(const Values& row, const Equal& equal = {}) const {
    const auto all = rows(equal);
    return std::ranges::find(all, row) != all.end();
  }
  model::Problem problem;
  model::Case bound;
};

TEST(IntegersTogether, HaveWhatTheCodeAsksForEndsEqualsAndOpposites) {
  const TwoOfARange two(20, 9);
  EXPECT_TRUE(two.has({{0, 50}, {1, 0}}, {{0, {50, 91}}, {1, {0}}}));
  EXPECT_FALSE(two.has({{0, 50}, {1, 0}})) << "the code does not ask";
  EXPECT_FALSE(two.has({{0, 91}, {1, 0}}, {{0, {50, 91}}, {1, {0}}})) << "beyond the range";
  EXPECT_TRUE(two.has({{0, -100}, {1, -100}}));
  EXPECT_TRUE(two.has({{0, 90}, {1, 90}}));
  EXPECT_TRUE(two.has({{0, 90}, {1, -100}}));
  const auto any = [&](const auto& is) { return std::ranges::any_of(two.rows(), is); };
  EXPECT_TRUE(any([](const Values& row) { return row.at(0) == -row.at(1) && row.at(0) > 0; }));
  EXPECT_TRUE(
      any([](const Values& row) { return row.at(0) == row.at(1) && row.at(0) > -100 && row.at(0) < 90; }));
  EXPECT_TRUE(any([](const Values& row) { return row.at(0) == row.at(1) + 1; }));
}

TEST(IntegersTogether, StayInOrderAndBothHaveAnotherValue) {
  const TwoOfARange two(20, 9);
  for (const Values& row : two.rows({{0, {20, 50}}, {1, {9, 70}}})) {
    EXPECT_GE(row.at(0), row.at(1)) << "as the usual ones are";
    EXPECT_NE(row.at(0), 20);
    EXPECT_NE(row.at(1), 9);
  }
  EXPECT_TRUE(TwoOfARange(9, 9).has({{0, -100}, {1, 90}})) << "where none is less, none has to be";
  TwoOfARange one(20, 9);
  one.problem.arguments[1].range.reset();
  EXPECT_TRUE(one.rows().empty());
  TwoOfARange many(20, 9);
  for (int i = 0; i < 6; ++i) {
    many.problem.arguments.push_back(many.problem.arguments[0]);
    many.bound.arguments.push_back(many.bound.arguments[0]);
  }
  EXPECT_EQ(many.rows().size(), 24U);
}

/// Integers in, integers out, and a factor.
struct Scaled {
  explicit Scaled(double usual) {
    for (const auto role : {model::ArgumentRole::input, model::ArgumentRole::output}) {
      model::Argument array;
      array.role = role;
      array.dtype = model::DType::i32;
      problem.arguments.push_back(array);
      bound.arguments.emplace_back();
    }
    model::Argument factor;
    factor.role = model::ArgumentRole::scalar;
    factor.dtype = model::DType::f32;
    factor.scalar.form = model::ScalarValue::Form::number;
    problem.arguments.push_back(factor);
    bound.arguments.push_back(tests::scalar_argument("s", model::DType::f32, usual));
  }
  [[nodiscard]] std::map<std::size_t, std::vector<double>> powers() const {
    return scalars_of_ties(problem, bound);
  }
  model::Problem problem;
  model::Case bound;
};

TEST(ScalarsOfTies, AreThePowersOfTwoNextToTheUsualValues) {
  const auto of = [](double usual) {
    const auto found = Scaled(usual).powers();
    return found.empty() ? 0 : found.at(2).front();
  };
  EXPECT_EQ(of(0.037), 0x1p-5);
  EXPECT_EQ(of(-3), -4);
  EXPECT_EQ(of(0.25), 0) << "it is one";
  EXPECT_EQ(of(0), 0);
  for (const std::size_t floats : {0U, 1U}) {
    Scaled one(0.037);
    one.problem.arguments[floats].dtype = model::DType::f32;
    EXPECT_TRUE(one.powers().empty()) << "products are no ties, or are not rounded";
  }
  Scaled fixed(0.037);
  fixed.problem.arguments[2].fixed = true;
  EXPECT_TRUE(fixed.powers().empty());
}

TEST(ScalarRows, NoneWhereTheCodeAsksForNone) {
  model::RandomStream draws = stream();
  EXPECT_TRUE(scalar_rows(scalars_of(2), {{2, {5}}}, 3, draws).empty()) << "an integer";
}

}  // namespace
}  // namespace evo::evaluators::gates::scalar_rows_cases
