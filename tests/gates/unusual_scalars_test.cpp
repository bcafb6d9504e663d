// Which checks with other scalars have an answer that can be asked for.
#include "evaluators/gates/unusual_scalars.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "evaluators/gates/scalar_order.hpp"
#include "tests/gates/jobs.hpp"
#include "tests/support/known.hpp"

namespace evo::evaluators::gates {
namespace {

struct Answers : ::testing::Test {
  /// Is an answer of these numbers asked for, in a case of this use and a set of this kind?
  bool asked(CaseUse use, const std::vector<double>& numbers, const std::string& kind = "normal",
             bool in_domain = true) {
    tests::FakeDevice device{tests::FakeDeviceSettings{}};
    DeviceJob job = tests::vector_add_job();
    job.uses.assign(job.cases.size(), use);
    job.input_sets = {{kind, kind, {}}};
    oracle::ReferenceCache cache(evo::tests::known());
    const JobContext context{device, 0, job, cache};
    oracle::ReferenceData reference;
    reference.outputs = {{}, {}, numbers};
    reference.in_domain = in_domain;
    return has_an_answer(context, Check{}, reference);
  }
  static constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  static constexpr double infinity = std::numeric_limits<double>::infinity();
};

TEST_F(Answers, AScalarThatNobodyGaveMayHaveNone) {
  for (const CaseUse use : {CaseUse::changed, CaseUse::rescaled}) {
    EXPECT_TRUE(asked(use, {1, -2, 0}));
    EXPECT_FALSE(asked(use, {1, nan, 0}));
    EXPECT_FALSE(asked(use, {1, -infinity, 0}));
  }
}

// What the problem's own values give is asked whatever it is: the gate then says what is wrong with it.
TEST_F(Answers, TheProblemsOwnValuesAreAskedAlways) {
  for (const CaseUse use : {CaseUse::workload, CaseUse::odd, CaseUse::crossed, CaseUse::stretched})
    EXPECT_TRUE(asked(use, {nan, infinity}));
}

// A path of 7680 steps grows beyond double where one of 20, which was asked for, does not.
TEST_F(Answers, SizesThatNobodyAskedForMayLeaveDouble) {
  for (const CaseUse use : {CaseUse::drawn, CaseUse::crossed, CaseUse::stretched, CaseUse::alone}) {
    EXPECT_FALSE(asked(use, {1, infinity, 0}));
    EXPECT_FALSE(asked(use, {-infinity, 2, 0}));
    EXPECT_TRUE(asked(use, {1, nan, infinity})) << "a NaN is no size: the gate says what is wrong with it";
  }
  for (const CaseUse use : {CaseUse::workload, CaseUse::odd}) EXPECT_TRUE(asked(use, {1, infinity, 0}));
}

TEST_F(Answers, WhereInputsAreSpecialSoMayAnswersBe) {
  EXPECT_TRUE(asked(CaseUse::changed, {nan, infinity}, "special_values"));
}

TEST(OtherIntegers, KeepThePowersOfTwoThatDivideThem) {
  using Values = std::vector<std::int64_t>;
  const auto others = [](std::int64_t usual, model::DType dtype = model::DType::i32) {
    return other_integers(usual, dtype);
  };
  EXPECT_EQ(others(0), (Values{1, 2}));
  EXPECT_EQ(others(1), (Values{0, 2}));
  EXPECT_EQ(others(-1), (Values{0, -2}));
  EXPECT_EQ(others(3), (Values{2, 4}));
  EXPECT_EQ(others(-100), (Values{-104, -96}));
  EXPECT_EQ(others(32), (Values{16, 64})) << "half and double";
  EXPECT_EQ(others(-8), (Values{-4, -16}));
  EXPECT_TRUE(others(std::numeric_limits<std::int64_t>::max(), model::DType::i64).empty());
  EXPECT_TRUE(others(std::numeric_limits<std::int64_t>::min(), model::DType::i64).empty());
  EXPECT_EQ(others(12), (Values{8, 16}));
  EXPECT_EQ(others(1, model::DType::boolean), Values{0});
  EXPECT_EQ(others(255, model::DType::u8), Values{254}) << "what the type holds";
  EXPECT_EQ(others(64, model::DType::i8), Values{32});
}

using Integers = std::vector<std::int64_t>;

bool has_all(const Integers& values, const Integers& asked) {
  return std::ranges::all_of(asked, [&](auto value) { return std::ranges::count(values, value) == 1; });
}

TEST(FarIntegers, HaveTheOtherSignAndMoreBits) {
  const auto far = [](std::int64_t usual, model::DType dtype = model::DType::i32) {
    return far_integers(usual, dtype, 1);
  };
  EXPECT_TRUE(has_all(far(5), {-5, 0, 261, 65541, -1, 1}));
  EXPECT_TRUE(has_all(far(-5), {5, 0, -261, -65541}));
  EXPECT_TRUE(has_all(far(0), {256, 65536, -1}));
  EXPECT_TRUE(has_all(far(1), {-1, 257, 65537}));
  EXPECT_FALSE(has_all(far(1), {0})) << "0 is its neighbour";
  EXPECT_TRUE(has_all(far(300), {-300, 0, 65836}));
  EXPECT_TRUE(has_all(far(90, model::DType::i16), {-90, 0, 346}));
  for (const std::int64_t value : far(7, model::DType::u8)) {
    EXPECT_GE(value, 0) << "what the type holds";
    EXPECT_LE(value, 255);
  }
  EXPECT_TRUE(has_all(far(7, model::DType::u32), {0, 263, 65543}));
  EXPECT_TRUE(far(1, model::DType::boolean).empty());
  EXPECT_TRUE(far(std::numeric_limits<std::int64_t>::min(), model::DType::i64).empty());
}

TEST(FarIntegers, AreNeitherTheUsualOneNorNextToIt) {
  const auto with = [](std::int64_t value, model::DType dtype = model::DType::i32) {
    model::Case bound;
    bound.arguments = {tests::scalar_argument("k", dtype, static_cast<double>(value))};
    return bound;
  };
  for (const std::int64_t near : {64, 32, 128}) EXPECT_FALSE(is_far_integer(with(64), with(near), 0)) << near;
  for (const std::int64_t far : {-64, 0, 65, 320}) EXPECT_TRUE(is_far_integer(with(64), with(far), 0)) << far;
  EXPECT_FALSE(is_far_integer(with(64, model::DType::f32), with(320, model::DType::f32), 0));
}

TEST(FarIntegers, OfSeveralMagnitudesOthersForEachSeed) {
  std::set<Integers> seen;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    const Integers values = far_integers(97, model::DType::i32, seed);
    seen.insert(values);
    const auto within = [&](std::int64_t from, std::int64_t to, bool power) {
      return std::ranges::any_of(values, [&](std::int64_t value) {
        return value >= from && value <= to && (!power || (value & (value - 1)) == 0);
      });
    };
    EXPECT_TRUE(within(8, 64, true)) << seed;
    EXPECT_TRUE(within(128, 16384, true)) << seed;
    EXPECT_TRUE(within(5, 16, false)) << seed;
    EXPECT_TRUE(within(17, 250, false)) << seed;
    EXPECT_TRUE(within(1000, 60000, false)) << seed;
    EXPECT_TRUE(within(-100, -5, false)) << seed;
  }
  EXPECT_GT(seen.size(), 4U);
}

TEST(ScalarOrder, AnEndOfARangeTakesTheOtherEndOfAClampAlong) {
  model::Problem problem;
  model::Case bound;
  for (const std::int64_t value : {-5, 9, 20}) {
    model::Argument argument;
    argument.role = model::ArgumentRole::scalar;
    argument.dtype = model::DType::i32;
    argument.scalar = {model::ScalarValue::Form::integer,
                       *model::Expression::parse(std::to_string(value), "p", 1)};
    problem.arguments.push_back(argument);
    model::BoundArgument scalar;
    scalar.role = model::ArgumentRole::scalar;
    scalar.dtype = model::DType::i32;
    scalar.scalar_integer = value;
    bound.arguments.push_back(scalar);
  }
  using Values = std::map<std::size_t, double>;
  problem.arguments[0].range = problem.arguments[1].range = model::ScalarRange{-10, 12.5};
  EXPECT_EQ(in_order(problem, bound, 0, 12), (Values{{0, 12}, {1, 12}}));
  EXPECT_EQ(in_order(problem, bound, 0, -10), (Values{{0, -10}})) << "nothing is passed";
  EXPECT_EQ(in_order(problem, bound, 1, -10), (Values{{0, -10}, {1, -10}}));
  problem.arguments[1].range.reset();
  EXPECT_EQ(in_order(problem, bound, 0, 30), (Values{{0, 30}})) << "what has no range stays";
  problem.arguments[1].range = model::ScalarRange{-10, 12};
  // A factor beside a place.
  problem.arguments[1].dtype = bound.arguments[1].dtype = model::DType::f32;
  problem.arguments[1].scalar.form = model::ScalarValue::Form::number;
  bound.arguments[1].scalar_float = 9;
  EXPECT_EQ(in_order(problem, bound, 0, 12), (Values{{0, 12}}));
  problem.arguments[0].dtype = bound.arguments[0].dtype = model::DType::f32;
  problem.arguments[0].scalar.form = model::ScalarValue::Form::number;
  bound.arguments[0].scalar_float = -5;
  EXPECT_EQ(in_order(problem, bound, 0, 12), (Values{{0, 12}, {1, 12}}));
  problem.arguments[1].fixed = true;
  EXPECT_EQ(in_order(problem, bound, 0, 12), (Values{{0, 12}}));
}

TEST(OtherIntegers, OnlyOfNumbersThatNobodyFixed) {
  model::Argument scalar;
  scalar.role = model::ArgumentRole::scalar;
  scalar.dtype = model::DType::i32;
  const auto number = [](const std::string& text) {
    const auto parsed = model::Expression::parse(text, "p", 1);
    EXPECT_TRUE(parsed);
    return *parsed;
  };
  scalar.scalar = {model::ScalarValue::Form::integer, number("3")};
  EXPECT_TRUE(may_be_another(scalar));
  scalar.fixed = true;
  EXPECT_FALSE(may_be_another(scalar));
  scalar.fixed = false;
  scalar.neutral = true;
  EXPECT_FALSE(may_be_another(scalar));
  scalar.neutral = false;
  scalar.scalar.expression = number("n");
  EXPECT_FALSE(may_be_another(scalar)) << "an axis says it";
  scalar.scalar.expression = number("1");
  scalar.scalar.stride_of = {"x"};
  EXPECT_FALSE(may_be_another(scalar)) << "a stride";
  scalar.scalar.stride_of.clear();
  scalar.dtype = model::DType::f32;
  EXPECT_FALSE(may_be_another(scalar));
}

TEST_F(Answers, WhatTheOracleHasNoAnswerToIsNotAsked) {
  EXPECT_FALSE(asked(CaseUse::workload, {1}, "normal", false));
  EXPECT_FALSE(asked(CaseUse::changed, {1}, "normal", false));
}

}  // namespace
}  // namespace evo::evaluators::gates
