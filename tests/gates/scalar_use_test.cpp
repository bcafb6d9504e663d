// Which values of an integer a kernel may treat otherwise, by its code.
#include "evaluators/gates/scalar_use.hpp"

#include <gtest/gtest.h>

#include "evaluators/gates/unusual_scalars.hpp"

namespace evo::evaluators::gates {
namespace {

using Values = std::vector<std::int64_t>;

/// k(y, u32 s), whose body begins with %r1 = s.
ScalarUse use_in(const std::string& body, const char* load = "ld.param.u32 %r1, [k_param_1];\n",
                 std::int64_t bytes = 4) {
  const code::PtxModule module(
      ".version 8.0\n.target sm_80\n.address_size 64\n"
      ".visible .entry other(.param .u32 other_param_0)\n{\n.reg .b32 %r<2>;\n"
      "ld.param.u32 %r1, [other_param_0];\nmin.s32 %r1, %r1, 99;\nret;\n}\n"
      ".visible .entry k(.param .u64 k_param_0, .param .u64 k_param_1)\n{\n"
      ".reg .pred %p<9>;\n.reg .b32 %r<20>;\n.reg .b64 %rd<20>;\n.reg .f32 %f<9>;\n"
      "ld.param.u64 %rd1, [k_param_0];\nmov.u32 %r9, %tid.x;\n" +
      std::string(load) + body + "ret;\n}\n");
  EXPECT_FALSE(module.unreadable());
  return use_of_scalar(module, "k", 1, bytes);
}

Values told(const std::string& body, std::int64_t usual, model::DType dtype = model::DType::i32) {
  return telling_integers(use_in(body), usual, dtype);
}

TEST(ScalarUse, BeyondWhatItIsComparedWith) {
  EXPECT_EQ(told("min.s32 %r2, %r1, 16;\n", 3), (Values{17}));
  EXPECT_EQ(told("setp.gt.s32 %p1, %r1, 100;\n", 3), (Values{101}));
  EXPECT_EQ(told("setp.eq.s32 %p1, %r1, 100;\n", 3), (Values{100})) << "what is asked for";
  EXPECT_EQ(told("max.s32 %r2, %r1, 2;\n", 7), (Values{1}));
  EXPECT_EQ(told("min.s32 %r2, %r1, 4;\n", 3), (Values{5}));
  EXPECT_EQ(told("min.s32 %r2, %r1, 3;\n", 3), Values{}) << "4 is its neighbour";
  EXPECT_EQ(told("min.s32 %r2, %r9, 16;\n", 3), Values{}) << "of a thread's number";
  EXPECT_EQ(told("", 3), Values{}) << "another kernel's parameter";
}

TEST(ScalarUse, IsFollowedThroughSteps) {
  EXPECT_EQ(told("add.s32 %r2, %r1, 5;\nmin.s32 %r3, %r2, 21;\n", 3), (Values{17}));
  EXPECT_EQ(told("not.b32 %r2, %r1;\nmax.s32 %r3, %r2, -17;\n", 3), (Values{17}));
  EXPECT_EQ(told("cvt.s64.s32 %rd2, %r1;\nmov.u64 %rd3, %rd2;\nsetp.gt.s64 %p1, %rd3, 40;\n", 3),
            (Values{41}));
  EXPECT_EQ(told("neg.s32 %r2, %r1;\nsetp.lt.s32 %p1, %r2, -30;\n", 3), (Values{31}));
  // Written twice, it is not the parameter everywhere.
  EXPECT_EQ(told("mov.u32 %r2, %r1;\nmin.s32 %r3, %r2, 16;\nmov.u32 %r2, 0;\n", 3), Values{});
}

TEST(ScalarUse, KeepsThePowersOfTwoThatDivideTheUsualValue) {
  EXPECT_EQ(told("min.s32 %r2, %r1, 30;\n", 12), (Values{32})) << "a count of vectors stays one";
  EXPECT_EQ(told("setp.lt.s32 %p1, %r1, 1;\n", 20), (Values{4}));
  EXPECT_EQ(told("setp.eq.s32 %p1, %r1, 7;\n", 20), Values{});
}

TEST(ScalarUse, OneOfTheBitsThatAreLost) {
  EXPECT_EQ(told("and.b32 %r2, %r1, 65535;\n", 678), (Values{678 + 65536}));
  EXPECT_EQ(told("and.b32 %r2, %r1, -2;\n", 20), (Values{21})) << "rounded down to an even number";
  EXPECT_EQ(told("and.b32 %r2, %r1, 3;\n", 20), Values{}) << "the usual value has such a bit";
  EXPECT_EQ(told("cvt.u16.u32 %rs1, %r1;\n", 5), (Values{5 + 65536}));
  const auto cut = use_in("", "ld.param.u32 %r1, [k_param_1];\n", 8);
  EXPECT_EQ(telling_integers(cut, 12345, model::DType::u64), (Values{12345 + (std::int64_t{1} << 32)}));
}

TEST(ScalarUse, HighBitsWhereItIsOnlyMixed) {
  const char* mixed =
      "xor.b32 %r2, %r1, %r9;\nmul.lo.s32 %r3, %r2, -1640531535;\nst.global.u32 [%rd1], %r3;\n";
  const Values high = told(mixed, 7, model::DType::u32);
  ASSERT_EQ(high.size(), 1U);
  EXPECT_GE(high[0], std::int64_t{1} << 31);
  EXPECT_LT(high[0], std::int64_t{1} << 32);
  EXPECT_LT(told(mixed, 7).at(0), std::int64_t{1} << 31) << "what the type holds";
  const auto wide = use_in(
      "xor.b64 %rd4, %rd2, %rd9;\nmul.lo.s64 %rd3, %rd4, -7046029254386353131;\nst.global.u64 [%rd8], "
      "%rd3;\n",
      "ld.param.u64 %rd2, [k_param_1];\n", 8);
  const Values carried = telling_integers(wide, 7, model::DType::u64);
  EXPECT_TRUE(std::ranges::find(carried, (std::int64_t{1} << 32) - 3) != carried.end())
      << "a few more carry into the high word";
  const std::string both = mixed;
  EXPECT_EQ(told(both + "setp.lt.s32 %p1, %r9, %r1;\n", 7), Values{}) << "how often";
  EXPECT_EQ(
      told(both + "mul.wide.s32 %rd2, %r1, 4;\nadd.s64 %rd3, %rd1, %rd2;\nld.global.u32 %r4, [%rd3];\n", 7),
      Values{})
      << "where";
  EXPECT_EQ(told(both + "cvt.rn.f32.s32 %f1, %r1;\n", 7), Values{}) << "a number";
  EXPECT_EQ(told("add.s32 %r2, %r1, %r9;\nst.global.u32 [%rd1], %r2;\n", 7), Values{}) << "a sum";
}

/// A factor with which the code asks for 0 or 1 has a path for it.
TEST(ScalarUse, OfAFloatingPointScalarThatIsAskedFor) {
  model::Problem problem;
  problem.arguments.resize(2);
  problem.arguments[1].role = model::ArgumentRole::scalar;
  problem.arguments[1].dtype = model::DType::f32;
  problem.arguments[1].scalar.form = model::ScalarValue::Form::number;
  model::Case bound;
  bound.arguments.resize(2);
  bound.arguments[1].dtype = model::DType::f32;
  model::Artifact artifact;
  artifact.entry = "k";
  const auto told_by = [&](const std::string& code) {
    artifact.ptx =
        ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 k_param_0, .param .f32 "
        "k_param_1)\n{\n.reg .f32 %f<4>;\n.reg .pred %p<4>;\nld.param.f32 %f1, [k_param_1];\n" +
        code + "ret;\n}\n";
    const auto found = telling_scalars(problem, artifact, bound, 7);
    return found.empty() ? Values{} : found.at(1);
  };
  EXPECT_EQ(told_by("setp.eq.f32 %p1, %f1, 0f00000000;\n"), Values{0});
  EXPECT_EQ(told_by("setp.neu.f32 %p1, %f1, 0f3F800000;\nneg.f32 %f2, %f1;\nsetp.equ.f32 %p2, %f2, "
                    "0f40000000;\n"),
            (Values{-2, 1}));
  EXPECT_TRUE(told_by("setp.gt.f32 %p1, %f1, 0f00000000;\n").empty()) << "many kernels count on its sign";
  EXPECT_TRUE(told_by("setp.eq.f32 %p1, %f1, 0f3F000000;\n").empty()) << "no whole number";
  EXPECT_TRUE(told_by("setp.eq.f32 %p1, %f3, 0f00000000;\n").empty()) << "something else";
  problem.arguments[1].fixed = true;
  EXPECT_TRUE(told_by("setp.eq.f32 %p1, %f1, 0f00000000;\n").empty());
}

TEST(ScalarUse, WhatTheCodeAsksAnIntegerForIsToldApart) {
  model::Problem problem;
  problem.arguments.resize(1);
  problem.arguments[0].role = model::ArgumentRole::scalar;
  problem.arguments[0].dtype = model::DType::i32;
  problem.arguments[0].scalar = {model::ScalarValue::Form::integer, *model::Expression::parse("7", "p", 1)};
  model::Case bound;
  bound.arguments.resize(1);
  bound.arguments[0].dtype = model::DType::i32;
  bound.arguments[0].scalar_integer = 7;
  model::Artifact artifact;
  artifact.entry = "k";
  const auto asked_by = [&](const std::string& code) {
    artifact.ptx =
        ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u32 k_param_0)\n{\n.reg "
        ".b32 "
        "%r<4>;\n.reg .pred %p<9>;\nld.param.u32 %r1, [k_param_0];\n" +
        code + "ret;\n}\n";
    const auto found = equal_integers(problem, artifact, bound);
    return found.empty() ? Values{} : found.at(0);
  };
  EXPECT_EQ(asked_by("setp.eq.s32 %p1, %r1, 32767;\nadd.s32 %r2, %r1, 1;\nsetp.ne.s32 %p2, %r2, 0;\n"),
            (Values{-1, 32767}));
  EXPECT_TRUE(asked_by("setp.lt.s32 %p1, %r1, 5;\nsetp.eq.s32 %p2, %r1, 7;\n").empty()) << "and its own";
  EXPECT_EQ(
      asked_by("setp.eq.s32 %p1, %r1, 1;\nsetp.eq.s32 %p2, %r1, 2;\nsetp.eq.s32 %p3, %r1, 3;\nsetp.eq.s32 "
               "%p4, %r1, 4;\n")
          .size(),
      3U);
}

TEST(ScalarUse, OfTheKernelsOfAPlan) {
  model::Problem problem;
  problem.arguments.resize(2);
  problem.arguments[1].role = model::ArgumentRole::scalar;
  problem.arguments[1].dtype = model::DType::i32;
  const auto zero = model::Expression::parse("0", "p", 1);
  ASSERT_TRUE(zero);
  problem.arguments[1].scalar = {model::ScalarValue::Form::integer, *zero};
  model::Case bound;
  bound.arguments.resize(2);
  bound.arguments[1].dtype = model::DType::i32;
  model::Artifact artifact;
  artifact.entry = "k";
  artifact.ptx =
      ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 k_param_0, .param .u32 "
      "k_param_1)\n{\n.reg .b32 %r<3>;\nld.param.u32 %r1, [k_param_1];\nmin.s32 %r2, %r1, 16;\nret;\n}\n";
  const auto told_of = [&] {
    const auto found = telling_scalars(problem, artifact, bound, 7);
    return found.empty() ? Values{} : found.at(1);
  };
  const auto has = [](const Values& values, std::int64_t value) {
    return std::ranges::find(values, value) != values.end();
  };
  const Values free = told_of();
  EXPECT_EQ(free.front(), 17);
  for (const std::int64_t far : {-1, 256, 65536}) EXPECT_TRUE(has(free, far)) << far << ", without a range";
  problem.arguments[1].range = model::ScalarRange{-10, 300};
  EXPECT_TRUE(has(told_of(), -1));
  EXPECT_TRUE(has(told_of(), 256));
  EXPECT_FALSE(has(told_of(), 65536)) << "nothing beyond a range";
  problem.arguments[1].range = model::ScalarRange{-3, 60};
  for (std::int64_t each = -3; each <= 60; ++each)
    EXPECT_EQ(has(told_of(), each), each != 0) << each << ": all of a narrow one but the usual value";
  problem.arguments[1].range = model::ScalarRange{-10, 300};
  bound.launch.structs.resize(1);
  EXPECT_TRUE(has(told_of(), 256)) << "of a member nobody knows what the code does with it";
  EXPECT_FALSE(has(told_of(), 17));
  problem.arguments[1].range.reset();
  bound.launch.structs.clear();
  // Many scalars: some far ones of each.
  while (problem.arguments.size() < 12) {
    problem.arguments.push_back(problem.arguments[1]);
    bound.arguments.push_back(bound.arguments[1]);
  }
  EXPECT_LT(told_of().size(), free.size());
  for (std::size_t i = 1; i < problem.arguments.size(); ++i)
    EXPECT_GE(telling_scalars(problem, artifact, bound, 7).at(i).size(), 4U) << i;
  problem.arguments.resize(2);
  bound.arguments.resize(2);
  problem.arguments[1].fixed = true;
  EXPECT_TRUE(told_of().empty());
}

}  // namespace
}  // namespace evo::evaluators::gates
