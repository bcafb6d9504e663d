// What computed numbers are compared with, by a kernel's code.
#include "evaluators/gates/reached_numbers.hpp"

#include <gtest/gtest.h>

namespace evo::evaluators::gates::reached_numbers_cases {
namespace {

using Numbers = std::set<double>;

ReachedNumbers found_in(const std::string& body) {
  return reached_numbers(
      ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 k_param_0)\n"
      "{\n.reg .pred %p<9>;\n.reg .b32 %r<9>;\n.reg .f32 %f<20>;\n.reg .f64 %fd<9>;\n" +
      body + "ret;\n}\n");
}

TEST(ReachedNumbers, ThresholdsAndFactors) {
  const ReachedNumbers found = found_in(
      "mul.f32 %f1, %f2, 0f3E800000;\nadd.f32 %f3, %f1, 0fBF000000;\nfma.rn.f32 %f4, %f1, 0f40000000, "
      "0f40A00000;\nsetp.gt.f32 %p1, %f4, 0f3F400000;\n");
  EXPECT_EQ(found.thresholds, (Numbers{0.5, 0.75, 5}));
  EXPECT_EQ(found.factors, (Numbers{0.25, 2}));
  EXPECT_TRUE(found.compares);
  EXPECT_FALSE(found.rounds);
  EXPECT_TRUE(found.any(false));
}

TEST(ReachedNumbers, NotOfMathematicalFunctionsNorOfIntegers) {
  EXPECT_EQ(found_in("add.f32 %f1, %f2, 0f4B400001;\nsetp.gt.f32 %p1, %f1, 0f00800000;\n").thresholds,
            Numbers{})
      << "12582913, and the smallest normal number";
  EXPECT_FALSE(found_in("setp.gt.s32 %p1, %r1, 5;\n").compares);
}

TEST(ReachedNumbers, RoundingIsAComparison) {
  EXPECT_TRUE(found_in("cvt.rmi.f32.f32 %f1, %f2;\n").rounds);
  EXPECT_TRUE(found_in("cvt.rni.s32.f32 %r1, %f2;\n").any(false));
  EXPECT_FALSE(found_in("cvt.rn.f32.s32 %f1, %r2;\n").rounds);
}

TEST(ReachedNumbers, ScalarsAreThresholdsWhereSomethingIsCompared) {
  const ReachedNumbers found = found_in("setp.lt.f32 %p1, %f1, %f2;\n");
  EXPECT_TRUE(found.any(true));
  EXPECT_FALSE(found.any(false));
  EXPECT_FALSE(found_in("add.f32 %f1, %f2, 0f3F800000;\n").any(true)) << "nothing is compared";
}

TEST(ReachedNumbers, OfBoth) {
  const ReachedNumbers both = in_both({{1, 2}, {3}, true, true}, {{2, 5}, {4}, true, false});
  EXPECT_EQ(both.thresholds, Numbers{2});
  EXPECT_EQ(both.factors, Numbers{});
  EXPECT_TRUE(both.compares);
  EXPECT_FALSE(both.rounds);
}

}  // namespace
}  // namespace evo::evaluators::gates::reached_numbers_cases
