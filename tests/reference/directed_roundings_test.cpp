// References in float that round to one neighbour or the other.
#include "evaluators/reference/directed_roundings.hpp"

#include <gtest/gtest.h>

#include <set>

namespace evo::evaluators::reference {
namespace {

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(DirectedRoundings, OfF64AreApartFromThoseOfF32) {
  const std::string both = "add.f32 %f3, %f1, %f2;\nfma.rn.f64 %fd3, %fd1, %fd2, %fd4;\n";
  const std::string in_f64 = with_directed_f64_roundings(both, 1);
  EXPECT_TRUE(has(in_f64, "add.f32 %f3, %f1, %f2;")) << in_f64;
  EXPECT_TRUE(has(in_f64, "fma.rm.f64 evo_low, %fd1, %fd2, %fd4;")) << in_f64;
  EXPECT_TRUE(has(in_f64, "setp.eq.s64 evo_is_low, evo_bits, 1;")) << in_f64;
  EXPECT_TRUE(has(with_directed_roundings(both, 1), "fma.rn.f64 %fd3, %fd1, %fd2, %fd4;"));
  const std::string fixed = "add.rn.f64 %fd3, %fd1, %fd2;\n";
  EXPECT_EQ(with_directed_f64_roundings(fixed, 0), fixed) << "its author means that rounding";
}

TEST(DirectedRoundings, WhatNobodyFixedIsRoundedDownAndUpAndOneIsTaken) {
  const std::string sum = with_directed_roundings("\tadd.f32 \t%f3, %f1, %f2;\n", 0);
  EXPECT_TRUE(has(sum, "add.rm.f32 evo_low, %f1, %f2;")) << sum;
  EXPECT_TRUE(has(sum, "add.rp.f32 evo_high, %f1, %f2;")) << sum;
  EXPECT_TRUE(has(sum, "setp.eq.s32 evo_is_low, evo_bits, 0;")) << sum;
  EXPECT_TRUE(has(sum, "selp.f32 %f3, evo_low, evo_high, evo_is_low;")) << sum;
  EXPECT_TRUE(has(with_directed_roundings("\tadd.f32 \t%f3, %f1, %f2;\n", 1),
                  "evo_bits, 1;\nsetp.eq.s32 evo_is_low, evo_bits, 1;"));
  EXPECT_TRUE(
      has(with_directed_roundings("sub.ftz.f32 %f3, %f1, %f2;", 0), "sub.rm.ftz.f32 evo_low, %f1, %f2;"));
  const std::string guarded = with_directed_roundings("@%p1 mul.f32 %f3, %f3, %f2;", 1);
  EXPECT_TRUE(has(guarded, "\n@%p1 selp.f32 %f3, evo_low")) << guarded;
  EXPECT_TRUE(has(guarded, "\nmul.rp.f32 evo_high, %f3, %f2;")) << "whatever the predicate: it only reads";
  for (const std::string root : {"fma", "div", "rcp", "sqrt"})
    EXPECT_TRUE(
        has(with_directed_roundings(root + ".rn.f32 %f3, %f1;\n", 0), root + ".rm.f32 evo_low, %f1;"));
}

TEST(DirectedRoundings, ExactQuotientsAndRootsAreOneUnitOff) {
  const std::string quotient = "div.rn.f32 %f3, %f1, %f2;\n";
  EXPECT_TRUE(has(with_directed_roundings(quotient, 0), "mov.f32 evo_divisor, %f2;"));
  EXPECT_TRUE(has(with_directed_roundings(quotient, 0), "add.s32 evo_bits, evo_bits, 1;"));
  EXPECT_TRUE(has(with_directed_roundings(quotient, 1), "add.s32 evo_bits, evo_bits, -1;"));
  EXPECT_TRUE(has(with_directed_roundings("sqrt.rn.f32 %f3, %f1;\n", 1), "add.s32 evo_bits, evo_bits, -1;"));
  EXPECT_FALSE(has(with_directed_roundings("mul.f32 %f3, %f1, %f2;\n", 0), "evo_divisor"));
}

TEST(DirectedRoundings, AllElseStays) {
  for (const std::string line :
       {"add.rn.f32 %f3, %f1, %f2;", "mul.rn.f32 %f3, %f1, %f2;", "add.f64 %d3, %d1, %d2;",
        "fma.rn.f64 %d3, %d1;", "add.s32 %r3, %r1, %r2;", "cvt.rn.f32.s32 %f1, %r1;",
        "cvt.rni.f32.f32 %f1, %f2;", "fma.rm.f32 %f1, %f2;", "div.full.f32 %f1, %f2;",
        "fma.rn.f16x2 %r1, %r2;", "// add.f32", "", "\t", "@%p1", "add.f32x2 %rd1;"})
    EXPECT_EQ(with_directed_roundings(line + "\n", 1), line + "\n");
}

TEST(DirectedRoundings, DrawsDifferAndRepeat) {
  std::string text;
  for (int i = 0; i < 8; ++i) text += "add.f32 %f3, %f1, %f2;\n";
  std::set<std::string> all;
  for (std::uint64_t draw = 0; draw < 16; ++draw) {
    all.insert(with_directed_roundings(text, draw));
    EXPECT_EQ(with_directed_roundings(text, draw), with_directed_roundings(text, draw));
  }
  EXPECT_GT(all.size(), 12U);
}

}  // namespace
}  // namespace evo::evaluators::reference
