// References in float that round down, up, or by chance.
#include "evaluators/reference/directed_roundings.hpp"

#include <gtest/gtest.h>

#include <set>

namespace evo::evaluators::reference {
namespace {

TEST(DirectedRoundings, WhatNobodyFixedIsRoundedDownOrUp) {
  EXPECT_EQ(with_directed_roundings("\tadd.f32 \t%f3, %f1, %f2;\n", 0), "\tadd.rm.f32 \t%f3, %f1, %f2;\n");
  EXPECT_EQ(with_directed_roundings("\tadd.f32 \t%f3, %f1, %f2;\n", 1), "\tadd.rp.f32 \t%f3, %f1, %f2;\n");
  EXPECT_EQ(with_directed_roundings("sub.ftz.f32 %f3, %f1, %f2;", 0), "sub.rm.ftz.f32 %f3, %f1, %f2;");
  EXPECT_EQ(with_directed_roundings("@%p1 mul.f32 %f3, %f1, %f2;", 1), "@%p1 mul.rp.f32 %f3, %f1, %f2;");
  for (const std::string root : {"fma", "div", "rcp", "sqrt"})
    EXPECT_EQ(with_directed_roundings(root + ".rn.f32 %f3, %f1;\n", 0), root + ".rm.f32 %f3, %f1;\n");
  EXPECT_EQ(with_directed_roundings("fma.rn.ftz.f32 %f3, %f1;", 1), "fma.rp.ftz.f32 %f3, %f1;");
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
