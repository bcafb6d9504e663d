#include "intake/data_use.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace evo::intake {
namespace {

/// Is parameter 2 of k(x, y, it, n), with this body, a number that meets data alone? %r1 is it, %r2 is n, %r3
/// the thread's index, %r5 an element of x.
bool number(const std::string& body) {
  const std::string ptx =
      ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(\n.param .u64 k_param_0,\n.param "
      ".u64 "
      "k_param_1,\n.param .u32 k_param_2,\n.param .u32 k_param_3\n)\n{\n.reg .b64 %rd<20>;\n.reg .b32 "
      "%r<30>;\n.reg .pred %p<9>;\nld.param.u64 %rd1, [k_param_0];\nld.param.u64 %rd2, [k_param_1];\n"
      "ld.param.u32 %r1, [k_param_2];\nld.param.u32 %r2, [k_param_3];\nmov.u32 %r3, %tid.x;\n"
      "setp.ge.s32 %p1, %r3, %r2;\n@%p1 bra $end;\ncvta.to.global.u64 %rd3, %rd1;\nmul.wide.s32 %rd4, %r3, "
      "4;\n"
      "add.s64 %rd5, %rd3, %rd4;\nld.global.u32 %r5, [%rd5];\n" +
      body + "$end:\nret;\n}\n";
  const std::vector<bool> found = meets_data_alone(evaluators::code::PtxModule(ptx), "k", 4);
  EXPECT_EQ(found.size(), 4U);
  EXPECT_FALSE(found.at(0) || found.at(1) || found.at(3)) << "pointers and a size";
  return found.at(2);
}

TEST(DataUse, AThresholdAndADivisor) {
  EXPECT_TRUE(number("setp.gt.s32 %p2, %r5, %r1;\nsub.s32 %r6, %r5, %r1;\nst.global.u32 [%rd5], %r6;\n"));
  EXPECT_TRUE(number("rem.u32 %r6, %r5, %r1;\nst.global.u32 [%rd5], %r6;\n"));
  EXPECT_TRUE(number("add.s32 %r7, %r1, -1;\nand.b32 %r6, %r5, %r7;\nst.global.u32 [%rd5], %r6;\n"))
      << "a mask that comes of it";
  EXPECT_TRUE(number("setp.lt.s32 %p2, %r1, 0;\nmax.s32 %r6, %r5, %r1;\nst.global.u32 [%rd5], %r6;\n"))
      << "compared with a number, too";
}

TEST(DataUse, NotWhatIndicesOrSizesMeet) {
  EXPECT_FALSE(number("")) << "nothing meets it";
  EXPECT_FALSE(number("setp.lt.s32 %p2, %r1, 0;\n")) << "a number alone";
  const std::string met = "setp.gt.s32 %p2, %r5, %r1;\n";
  EXPECT_FALSE(number(met + "setp.gt.s32 %p3, %r3, %r1;\n")) << "an index";
  EXPECT_FALSE(number(met + "mul.lo.s32 %r6, %r1, %r2;\n")) << "another parameter";
  EXPECT_FALSE(number(met + "mul.wide.s32 %rd6, %r1, 4;\nadd.s64 %rd7, %rd3, %rd6;\nld.global.u32 %r6, "
                            "[%rd7];\n"))
      << "an address";
  EXPECT_FALSE(
      number("rem.u32 %r6, %r5, %r1;\nmul.wide.u32 %rd6, %r6, 4;\nadd.s64 %rd7, %rd3, %rd6;\n"
             "st.global.u32 [%rd7], %r6;\n"))
      << "a table has so many elements";
  EXPECT_FALSE(number(met + "mov.u32 %r8, 0;\n$loop:\nadd.s32 %r8, %r8, 1;\nsetp.lt.s32 %p3, %r8, %r1;\n"
                            "@%p3 bra $loop;\n"))
      << "a counter";
  EXPECT_FALSE(number(met + "st.param.b32 [param0+0], %r1;\n")) << "a call";
}

TEST(DataUse, WhatCannotBeReadSaysNothing) {
  EXPECT_EQ(meets_data_alone(evaluators::code::PtxModule("no PTX"), "k", 2),
            (std::vector<bool>{false, false}));
}

}  // namespace
}  // namespace evo::intake
