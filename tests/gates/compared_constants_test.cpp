// Numbers that PTX compares integers with.
#include "evaluators/gates/compared_constants.hpp"

#include <gtest/gtest.h>

namespace evo::evaluators::gates {
namespace {

std::string module_of(const std::string& body) {
  return ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u32 n)\n{\n"
         ".reg .pred %p<9>;\n.reg .b32 %r<9>;\n.reg .f32 %f<9>;\nld.param.u32 %r1, [n];\n" +
         body + "ret;\n}\n";
}
using Constants = std::vector<std::int64_t>;

TEST(ComparedConstants, EqualityComesFirstThenTheLargest) {
  EXPECT_EQ(compared_constants(module_of("setp.gt.s32 %p1, %r1, 500000;\nsetp.eq.s32 %p2, %r1, 7777;\n"
                                         "setp.lt.u32 %p3, %r1, 900;\nsetp.ne.s32 %p4, %r1, 8888;\n")),
            (Constants{8888, 7777, 500000, 900}));
  EXPECT_EQ(compared_constants(module_of("setp.gt.s32 %p1, %r1, 500;\nsetp.gt.s32 %p1, %r1, 600;\n"), 1),
            (Constants{600}));
}

TEST(ComparedConstants, OnlyIntegersThatASizeCanBe) {
  EXPECT_EQ(compared_constants(module_of("setp.gt.s32 %p1, %r1, %r2;\nsetp.gt.s32 %p1, %r1, -5000;\n"
                                         "setp.gt.s32 %p1, %r1, 32;\nsetp.lt.s32 %p1, %r1, 2147483647;\n"
                                         "setp.gt.f32 %p1, %f1, 0f42C80000;\nadd.s32 %r3, %r1, 4096;\n")),
            Constants{});
  EXPECT_EQ(compared_constants(module_of("@%p1 setp.eq.s32 %p2, %r1, 77;\nsetp.eq.s32 %p2, %r1, 77;\n")),
            (Constants{77}));
  EXPECT_EQ(compared_constants("no ptx"), Constants{});
}

TEST(ComparedConstants, WhereIntegersAreCutOffComesLast) {
  EXPECT_EQ(compared_constants(module_of("cvt.u16.u32 %rs1, %r1;\nand.b32 %r2, %r1, 4095;\n"
                                         "setp.gt.s32 %p1, %r1, 900;\n")),
            (Constants{900, 65536, 4096}));
  EXPECT_EQ(compared_constants(module_of("cvt.s16.s32 %rs1, %r1;\n")), (Constants{32768}));
  EXPECT_EQ(compared_constants(module_of("cvt.u32.u16 %r1, %rs1;\ncvt.rn.f32.s32 %f1, %r1;\n"
                                         "cvt.u16.u8 %rs1, %rs2;\nand.b32 %r2, %r1, 31;\n"
                                         "and.b32 %r2, %r1, 8388607;\nand.b32 %r2, %r1, 4094;\n")),
            Constants{});
}

TEST(ComparedIntegers, OfAnySignAndSizeThoseOfEqualityFirst) {
  EXPECT_EQ(compared_integers(module_of("setp.gt.s32 %p1, %r1, 100000;\nsetp.eq.s32 %p2, %r1, -987654321;\n"
                                        "setp.ne.s64 %p3, %rd1, 123456789;\nsetp.lt.s32 %p1, %r1, -32;\n"
                                        "setp.gt.f32 %p1, %f1, 0f42C80000;\n")),
            (Constants{-987654321, 123456789, 100000}));
  EXPECT_EQ(compared_integers(module_of("setp.gt.s32 %p1, %r1, 500;\nsetp.eq.s32 %p1, %r1, 600;\n"), 1),
            (Constants{600}));
  EXPECT_EQ(compared_integers("no ptx"), Constants{});
}

using Numbers = std::vector<double>;

TEST(ComparedConstants, WhatRemaindersAreOfAndWhereSomethingEnds) {
  EXPECT_EQ(compared_constants(module_of("rem.u32 %r2, %r1, 384;\nmin.u32 %r3, %r1, 1024;\n")),
            (Constants{384, 1024}));
  EXPECT_EQ(compared_constants(module_of("add.s32 %r2, %r1, -3001;\nsetp.lt.u32 %p1, %r2, 99;\n")),
            (Constants{99, 3001, 3100}))
      << "from 3001 to 3099, as one comparison";
  EXPECT_EQ(compared_constants(module_of("add.s32 %r2, %r1, -3001;\nsetp.lt.s32 %p1, %r2, 99;\n")),
            (Constants{99}));
  EXPECT_EQ(compared_constants(module_of("rem.u32 %r2, %r1, 8;\n")), Constants{}) << "drawn anyway";
}

TEST(ComparedConstants, WhatStandsForNoneAmongElements) {
  EXPECT_EQ(compared_integers(module_of("setp.eq.s32 %p1, %r1, -1;\nsetp.gt.s32 %p1, %r2, -2;\n")),
            (Constants{-1}));
}

TEST(ComparedNumbers, LiteralsAndBitsThatAreAskedForAndWhatLiesBetween) {
  EXPECT_EQ(
      compared_numbers(module_of("setp.gt.f32 %p1, %f1, 0f40400000;\nsetp.lt.f32 %p2, %f1, 0f40A00000;\n")),
      (Numbers{3, 4, 5}));
  EXPECT_EQ(compared_numbers(module_of("setp.eq.s32 %p1, %r1, 1078530011;\n")), (Numbers{0x1.921fb6p+1}));
  EXPECT_EQ(compared_numbers(module_of("setp.eq.f64 %p1, %fd1, 0d4008000000000000;\n")), (Numbers{3}));
}

TEST(ComparedNumbers, TheCentreOfARangeIsOneMore) {
  EXPECT_EQ(compared_numbers(module_of("add.f32 %f2, %f1, 0fC0A00000;\nabs.f32 %f3, %f2;\n"
                                       "setp.lt.f32 %p1, %f3, 0f40400000;\n")),
            (Numbers{3, 4, 5}));
}

TEST(ComparedNumbers, NoSizesNoFlagsAndNothingThatIsNoNumber) {
  EXPECT_EQ(
      compared_numbers(module_of("setp.gt.f32 %p1, %f1, 0f7F800000;\nsetp.eq.f32 %p1, %f1, 0f00000000;\n"
                                 "setp.eq.s32 %p1, %r1, 4096;\nsetp.gt.s32 %p1, %r1, 1078530011;\n"
                                 "add.f32 %f2, %f1, 0f40400000;\n")),
      Numbers{});
  EXPECT_EQ(compared_numbers("no ptx"), Numbers{});
}

TEST(ComparedNumbers, OfManyThoseThatAreAskedForEquality) {
  EXPECT_EQ(compared_numbers(
                module_of("setp.gt.f32 %p1, %f1, 0f40400000;\nsetp.neu.f32 %p2, %f1, 0f40A00000;\n"), 1),
            (Numbers{5}));
}

TEST(ComparedConstants, BoundsOfFloatingPointNumbers) {
  EXPECT_EQ(compared_numbers(module_of("min.f32 %f2, %f1, 0f477DE800;\n")), (Numbers{65000}));
  EXPECT_EQ(compared_numbers(module_of("max.f32 %f2, %f1, 0f00000000;\n")), Numbers{}) << "0 is no number";
}

TEST(ComparedConstants, WhatIsComparedItselfIsToldFromWhatIsBeside) {
  const std::string code =
      "add.f32 %f2, %f1, 0fC0A00000;\nsetp.lt.f32 %p1, %f2, 0f40000000;\n"
      "setp.gt.f32 %p1, %f1, 0f41400000;\nsetp.eq.f32 %p1, %f1, 0f40400000;\n";
  EXPECT_EQ(directly_compared(module_of(code)), (Numbers{3, 2, 12}));
  EXPECT_EQ(directly_compared(module_of(code), 1), (Numbers{3}));
  EXPECT_EQ(directly_compared("no ptx"), Numbers{});
  EXPECT_EQ(compared_numbers(module_of("add.f32 %f2, %f1, 0fCB40007F;\nsetp.gt.f32 %p1, %f1, 0f41400000;\n")),
            (Numbers{12}))
      << "what rounds";
}

}  // namespace
}  // namespace evo::evaluators::gates
