// Which checks with other scalars have an answer that can be asked for.
#include "evaluators/gates/unusual_scalars.hpp"

#include <gtest/gtest.h>

#include <limits>

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

TEST(FarIntegers, HaveTheOtherSignAndMoreBits) {
  using Values = std::vector<std::int64_t>;
  const auto far = [](std::int64_t usual, model::DType dtype = model::DType::i32) {
    return far_integers(usual, dtype);
  };
  EXPECT_EQ(far(5), (Values{-5, 0, 261, 65541}));
  EXPECT_EQ(far(-5), (Values{5, 0, -261, -65541}));
  EXPECT_EQ(far(0), (Values{256, 65536}));
  EXPECT_EQ(far(1), (Values{-1, 257, 65537})) << "0 is its neighbour";
  EXPECT_EQ(far(300), (Values{-300, 0, 65836}));
  EXPECT_EQ(far(90, model::DType::i16), (Values{-90, 0, 346})) << "what the type holds";
  EXPECT_EQ(far(7, model::DType::u8), Values{0});
  EXPECT_EQ(far(7, model::DType::u32), (Values{0, 263, 65543}));
  EXPECT_TRUE(far(1, model::DType::boolean).empty());
  EXPECT_TRUE(far(std::numeric_limits<std::int64_t>::min(), model::DType::i64).empty());
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
