// Comparisons that no rounding decides, by a kernel's code.
#include "evaluators/gates/exact_comparisons.hpp"

#include <gtest/gtest.h>

namespace evo::evaluators::gates {
namespace {

using ScalarSet = std::set<std::size_t>;
using NumberSet = std::set<double>;

/// k(x, y, f32 s, f32 v), whose body begins with %f1 = an element of x, %f2 = s, %f3 = v.
ExactComparisons found_in(const std::string& body, const std::string& before = "") {
  model::Artifact artifact;
  artifact.entry = "k";
  artifact.ptx =
      ".version 8.0\n.target sm_80\n.address_size 64\n" + before +
      ".visible .entry k(.param .u64 k_param_0, .param .u64 k_param_1, .param .f32 k_param_2, .param .f32 "
      "k_param_3)\n"
      "{\n.reg .pred %p<9>;\n.reg .b32 %r<9>;\n.reg .f32 %f<20>;\n.reg .f64 %fd<9>;\n.reg .b64 %rd<9>;\n"
      "ld.param.u64 %rd1, [k_param_0];\nld.param.f32 %f2, [k_param_2];\nld.param.f32 %f3, [k_param_3];\n"
      "ld.global.f32 %f1, [%rd1];\n" +
      body + "ret;\n}\n";
  return exact_comparisons(artifact, model::LaunchPlan{});
}

TEST(ExactComparisons, AnElementWithAScalarOrANumber) {
  EXPECT_EQ(found_in("setp.gt.f32 %p1, %f1, %f2;\n").scalars, (ScalarSet{2}));
  EXPECT_EQ(found_in("setp.gt.f32 %p1, %f2, %f1;\n").scalars, (ScalarSet{2}));
  EXPECT_EQ(found_in("setp.geu.f32 %p1, %f1, 0fBF000000;\n").numbers, (NumberSet{-0.5}));
  EXPECT_EQ(found_in("setp.gt.f32 %p1, %f1, 0f00000000;\n").numbers, NumberSet{});
  EXPECT_EQ(found_in("setp.gt.f32 %p1, %f3, %f2;\n").scalars, ScalarSet{}) << "two scalars";
}

TEST(ExactComparisons, ThroughWhatRoundsNothing) {
  EXPECT_EQ(found_in("abs.f32 %f4, %f1;\ncvt.f64.f32 %fd1, %f4;\ncvt.f64.f32 %fd2, %f2;\n"
                     "setp.lt.f64 %p1, %fd1, %fd2;\n")
                .scalars,
            (ScalarSet{2}));
  EXPECT_EQ(found_in("sub.f32 %f4, %f1, %f2;\nsetp.gt.f32 %p1, %f4, 0f00000000;\n").scalars, (ScalarSet{2}));
  EXPECT_EQ(found_in("add.f32 %f4, %f1, 0fBF000000;\nsetp.gt.f32 %p1, %f4, 0f00000000;\n").numbers,
            (NumberSet{0.5}));
  EXPECT_EQ(found_in("sub.f32 %f4, %f1, %f2;\nsetp.gt.f32 %p1, %f4, %f3;\n").scalars, ScalarSet{})
      << "a difference is rounded";
}

TEST(ExactComparisons, ASignBelongsToTheNumber) {
  const ExactComparisons opposite = found_in("neg.f32 %f4, %f2;\nsetp.gt.f32 %p1, %f1, %f4;\n");
  EXPECT_EQ(opposite.scalars, ScalarSet{});
  EXPECT_EQ(opposite.opposites, (ScalarSet{2}));
  const ExactComparisons either = found_in("abs.f32 %f4, %f1;\nsetp.gt.f32 %p1, %f4, %f2;\n");
  EXPECT_EQ(either.scalars, (ScalarSet{2}));
  EXPECT_EQ(either.opposites, (ScalarSet{2}));
}

TEST(ExactComparisons, ANumberThatIsNoneEndsNothing) {
  EXPECT_EQ(found_in("selp.f32 %f4, 0f7FFFFFFF, %f1, %p1;\nsetp.gt.f32 %p2, %f4, %f2;\n"
                     "setp.gt.f32 %p3, %f1, %f3;\n")
                .scalars,
            (ScalarSet{3}));
}

TEST(ExactComparisons, NotOfWhatTheKernelMayHavePutThere) {
  EXPECT_EQ(found_in("ld.shared.f32 %f4, [%rd1];\nsetp.gt.f32 %p1, %f4, %f2;\n").scalars, ScalarSet{});
  EXPECT_EQ(found_in("ld.local.f32 %f4, [%rd1];\nsetp.gt.f32 %p1, %f4, %f2;\n").scalars, ScalarSet{});
}

TEST(ExactComparisons, NotBehindArithmetic) {
  EXPECT_EQ(found_in("mul.f32 %f4, %f1, %f3;\nsetp.gt.f32 %p1, %f4, %f2;\n").scalars, ScalarSet{});
  EXPECT_EQ(found_in("rcp.rn.f32 %f4, %f2;\nsetp.gt.f32 %p1, %f1, %f4;\n").scalars, ScalarSet{});
  EXPECT_EQ(
      found_in("mov.f32 %f4, %f1;\n$L:\nsetp.gt.f32 %p1, %f4, %f2;\nadd.f32 %f4, %f4, %f3;\n@%p1 bra $L;\n")
          .scalars,
      ScalarSet{})
      << "around a loop";
}

TEST(ExactComparisons, InAFunctionThatTheKernelCalls) {
  const std::string callee =
      ".func f(.param .b64 f_param_0, .param .b32 f_param_1)\n{\n.reg .pred %p<9>;\n.reg .f32 %f<9>;\n"
      ".reg .b64 %rd<9>;\nld.param.u64 %rd1, [f_param_0];\nld.param.f32 %f1, [f_param_1];\n"
      "ld.global.f32 %f2, [%rd1];\nsetp.gt.f32 %p1, %f2, %f1;\nret;\n}\n";
  EXPECT_EQ(found_in("{\n.param .b64 param0;\nst.param.b64 [param0+0], %rd1;\n.param .b32 param1;\n"
                     "st.param.f32 [param1+0], %f3;\ncall.uni f, (param0, param1);\n}\n",
                     callee)
                .scalars,
            (ScalarSet{3}));
}

TEST(ExactComparisons, OfBoth) {
  const ExactComparisons both = in_both({{2, 3}, {5}, {0.5}}, {{3, 4}, {}, {0.25, 0.5}});
  EXPECT_EQ(both.scalars, (ScalarSet{3}));
  EXPECT_EQ(both.opposites, ScalarSet{});
  EXPECT_EQ(both.numbers, (NumberSet{0.5}));
}

TEST(ExactComparisons, WhatOneHasAndTheOtherHasNot) {
  const ExactComparisons rest = without({{1, 2}, {3}, {0.5, 2}}, {{2}, {}, {0.5}});
  EXPECT_EQ(rest.scalars, (ScalarSet{1}));
  EXPECT_EQ(rest.opposites, (ScalarSet{3}));
  EXPECT_EQ(rest.numbers, (NumberSet{2}));
}

TEST(ExactComparisons, AModuleMayRoundNothing) {
  const auto rounds = [](const std::string& body) {
    model::Artifact artifact;
    artifact.ptx =
        ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 k_param_0)\n"
        "{\n.reg .pred %p<9>;\n.reg .b32 %r<9>;\n.reg .f32 %f<9>;\n.reg .b64 %rd<9>;\n"
        "ld.param.u64 %rd1, [k_param_0];\nld.global.f32 %f1, [%rd1];\n" +
        body + "ret;\n}\n";
    return !rounds_nothing(artifact);
  };
  EXPECT_FALSE(
      rounds("mov.b32 %r1, %f1;\nadd.s32 %r1, %r1, 2;\nmov.b32 %f2, %r1;\n"
             "setp.gt.f32 %p1, %f1, %f2;\nst.global.f32 [%rd1], %f2;\n"));
  EXPECT_TRUE(rounds("add.f32 %f2, %f1, 0f3F800000;\n"));
  EXPECT_TRUE(rounds("fma.rn.f32 %f2, %f1, %f1, %f1;\n"));
  EXPECT_TRUE(rounds("ex2.approx.ftz.f32 %f2, %f1;\n"));
}

}  // namespace
}  // namespace evo::evaluators::gates
