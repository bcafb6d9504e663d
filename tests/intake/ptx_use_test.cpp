#include "intake/ptx_use.hpp"

#include <gtest/gtest.h>

namespace evo::intake {
namespace {

/// A kernel k with `count` pointers and this body.
std::string kernel(int count, const std::string& body) {
  std::string parameters;
  for (int i = 0; i < count; ++i)
    parameters += std::string(i == 0 ? "" : ",\n") + ".param .u64 k_param_" + std::to_string(i);
  return ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry other(\n.param .u64 "
         "other_param_0\n)\n{\n.reg .b64 %rd<9>;\nld.param.u64 %rd1, [other_param_0];\nst.global.u32 [%rd1], "
         "1;\nret;\n}\n"
         ".visible .entry k(\n" +
         parameters + "\n)\n{\n.reg .b64 %rd<9>;\n.reg .f32 %f<9>;\n.reg .b32 %r<9>;\n" + body + "ret;\n}\n";
}

TEST(PtxUse, ReadsAndWrites) {
  const KernelUse use = use_of(
      kernel(
          3,
          "ld.param.u64 %rd1, [k_param_0];\nld.param.u64 %rd2, [k_param_1];\ncvta.to.global.u64 %rd3, %rd1;\n"
          "mov.u32 %r1, %tid.x;\nmul.wide.s32 %rd4, %r1, 4;\nadd.s64 %rd5, %rd3, %rd4;\nadd.s64 %rd6, %rd2, "
          "%rd4;\n"
          "ld.global.f32 %f1, [%rd5+4];\nst.global.f32 [%rd6], %f1;\n"),
      "k", 3);
  ASSERT_EQ(use.pointers.size(), 3U);
  EXPECT_TRUE(use.pointers[0].read);
  EXPECT_FALSE(use.pointers[0].written);
  EXPECT_TRUE(use.pointers[1].written);
  EXPECT_FALSE(use.pointers[1].read);
  EXPECT_FALSE(use.pointers[2].read || use.pointers[2].written);
  EXPECT_FALSE(use.y);
}

TEST(PtxUse, SidesOfBlocksAndOfThreads) {
  const KernelUse blocks = use_of(kernel(1, "mov.u32 %r1, %ctaid.y;\n"), "k", 1);
  EXPECT_TRUE(blocks.y);
  EXPECT_FALSE(blocks.thread_y);
  const KernelUse threads = use_of(kernel(1, "mov.u32 %r1, %tid.z;\n"), "k", 1);
  EXPECT_TRUE(threads.z && threads.thread_z);
  EXPECT_FALSE(threads.thread_y);
}

TEST(PtxUse, WhichComesFirst) {
  const std::string head = "ld.param.u64 %rd1, [k_param_0];\n";
  const auto first = [&](const std::string& body) {
    return use_of(kernel(1, head + body), "k", 1).pointers[0];
  };
  EXPECT_TRUE(first("ld.global.f32 %f1, [%rd1];\nst.global.f32 [%rd1], %f1;\n").read_first);
  EXPECT_FALSE(first("st.global.f32 [%rd1], %f1;\nld.global.f32 %f1, [%rd1];\n").read_first);
  const PointerUse atomic = first("red.global.add.f32 [%rd1], %f1;\n");
  EXPECT_TRUE(atomic.atomic && atomic.read_first && atomic.atomic_first && atomic.written);
  const PointerUse later = first("ld.global.f32 %f1, [%rd1];\nred.global.add.f32 [%rd1], %f1;\n");
  EXPECT_TRUE(later.atomic && later.read_first && !later.atomic_first);
}

TEST(PtxUse, ACallMayWriteAndAStoreDoes) {
  const std::string head = "ld.param.u64 %rd1, [k_param_0];\n";
  const auto use = [&](const std::string& body) {
    return use_of(kernel(1, head + body), "k", 1).pointers[0];
  };
  const PointerUse passed = use("st.param.b64 [param0+0], %rd1;\n");
  EXPECT_TRUE(passed.read && passed.written && !passed.stored);
  EXPECT_TRUE(use("st.global.f32 [%rd1], %f1;\n").stored);
  EXPECT_TRUE(use("red.global.add.f32 [%rd1], %f1;\n").stored);
  EXPECT_TRUE(use("atom.global.add.f32 %f1, [%rd1], %f2;\n").stored);
  EXPECT_FALSE(use("ld.global.f32 %f1, [%rd1];\n").stored);
}

TEST(PtxUse, WhoAsksHowAnArrayIsAlignedNeedsNoAlignment) {
  const std::string head = "ld.param.u64 %rd1, [k_param_0];\nld.param.u64 %rd2, [k_param_1];\n";
  const std::string wide = "ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1];\n";
  const auto widest = [&](const std::string& body) {
    return use_of(kernel(2, head + body + wide), "k", 2).pointers[0].widest;
  };
  EXPECT_EQ(widest(""), 16);
  EXPECT_EQ(widest("or.b64 %rd3, %rd1, %rd2;\nand.b64 %rd4, %rd3, 15;\n"), 0);
  EXPECT_EQ(widest("cvt.u32.u64 %r1, %rd1;\nand.b32 %r2, %r1, 3;\n"), 0);
  EXPECT_EQ(widest("and.b64 %rd4, %rd2, 15;\n"), 16) << "another array's says nothing of this one";
  EXPECT_EQ(widest("and.b64 %rd4, %rd1, 12;\n"), 16) << "no test of an alignment";
  EXPECT_EQ(widest("mov.u32 %r1, %tid.x;\nand.b32 %r2, %r1, 15;\n"), 16) << "of a thread's number";
}

TEST(PtxUse, ARemainderOfANumberOfElementsTestsNoAlignment) {
  const auto use = [](const std::string& load) {
    return use_of(kernel(2, "ld.param.u64 %rd1, [k_param_0];\n" + load +
                                "ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1];\n"),
                  "k", 2);
  };
  const KernelUse rest = use("ld.param.u32 %r1, [k_param_1];\nand.b32 %r2, %r1, 3;\n");
  EXPECT_FALSE(rest.pointers[0].tested || rest.pointers[1].tested);
  EXPECT_EQ(rest.pointers[0].widest, 16);
  // An offset of so many elements is no address of them; the pointer beside it is.
  const KernelUse both =
      use("ld.param.u32 %r1, [k_param_1];\nmul.wide.s32 %rd2, %r1, 4;\nadd.s64 %rd3, %rd1, %rd2;\n"
          "and.b64 %rd4, %rd3, 15;\n");
  EXPECT_TRUE(both.pointers[0].tested);
  EXPECT_FALSE(both.pointers[1].tested);
}

TEST(PtxUse, ALoopBringsAnAddressBack) {
  const KernelUse use = use_of(kernel(1,
                                      "$L1:\nld.global.f32 %f1, [%rd2];\nld.param.u64 %rd1, "
                                      "[k_param_0];\nmov.u64 %rd2, %rd1;\nbra $L1;\n"),
                               "k", 1);
  EXPECT_TRUE(use.pointers[0].read);
}

TEST(PtxUse, LoadedDataIsNoAddressAndSidesAreSeen) {
  const KernelUse use = use_of(kernel(2,
                                      "ld.param.u64 %rd1, [k_param_0];\nld.global.u64 %rd2, "
                                      "[%rd1];\nst.global.f32 [%rd2], %f1;\nmov.u32 %r1, %ctaid.y;\n"),
                               "k", 2);
  EXPECT_FALSE(use.pointers[0].written);
  EXPECT_TRUE(use.y);
  EXPECT_FALSE(use.z);
}

TEST(PtxUse, WideAccessesAndParametersThatNothingReads) {
  const KernelUse use =
      use_of(kernel(4,
                    "ld.param.u64 %rd1, [k_param_0];\nld.param.u64 %rd2, [k_param_1];\n"
                    "ld.param.u64 %rd3, [k_param_3];\n"
                    "ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1];\nst.global.v2.f32 [%rd2], {%f1, %f2};\n"
                    "st.global.f32 [%rd3], %f1;\n"),
             "k", 4);
  EXPECT_EQ(use.pointers[0].widest, 16);
  EXPECT_EQ(use.pointers[1].widest, 8);
  EXPECT_LE(use.pointers[3].widest, 4);
  EXPECT_EQ(use.taken, (std::vector<bool>{true, true, false, true}));
}

TEST(PtxUse, MembersOfAStructAreToldApartByTheirOffsets) {
  const std::vector<ParameterSlot> slots{{0, 0, 8}, {0, 8, 4}, {0, 12, 4}, {0, 16, 8}, {1, 0, 0}};
  const KernelUse use = use_of(kernel(2,
                                      "ld.param.u64 %rd1, [k_param_0];\nld.param.u64 %rd2, [k_param_0+16];\n"
                                      "ld.param.v2.u32 {%r1, %r2}, [k_param_0+8];\n"
                                      "ld.global.f32 %f1, [%rd1];\nst.global.f32 [%rd2], %f1;\n"),
                               "k", slots);
  EXPECT_EQ(use.taken, (std::vector<bool>{true, true, true, true, false}));
  EXPECT_TRUE(use.pointers[0].read && !use.pointers[0].written);
  EXPECT_TRUE(use.pointers[3].written && !use.pointers[3].read);
  const KernelUse part = use_of(kernel(1, "ld.param.u32 %r1, [k_param_0+12];\n"), "k",
                                std::vector<ParameterSlot>{{0, 8, 4}, {0, 12, 4}});
  EXPECT_EQ(part.taken, (std::vector<bool>{false, true}));
}

// Of a large struct compilers take the address once.
TEST(PtxUse, MembersAreToldApartByTheirDistanceFromAnAddressOfTheStruct) {
  const std::vector<ParameterSlot> slots{{0, 0, 8}, {0, 8, 8}, {0, 16, 4}, {0, 20, 4}, {0, 24, 8}};
  const std::string head = "mov.b64 %rd1, k_param_0;\nadd.s64 %rd2, %rd1, 16;\n";
  const std::string known =
      head +
      "ld.param.u64 %rd3, [%rd2+-8];\nld.global.f32 %f1, [%rd3];\nld.param.v2.u32 {%r1, %r2}, [%rd2];\n"
      "add.s32 %r3, %r2, 1;\n";
  const KernelUse use = use_of(kernel(1, known), "k", slots);
  EXPECT_EQ(use.taken, (std::vector<bool>{false, true, false, true, false}));
  EXPECT_TRUE(use.pointers[1].read);
  EXPECT_FALSE(use.pointers[0].read || use.pointers[4].read);
  // Where a number that is computed is added, it may be any of them.
  const KernelUse any =
      use_of(kernel(1, head + "add.s64 %rd4, %rd1, %rd5;\nld.param.u64 %rd3, [%rd4];\n"), "k", slots);
  EXPECT_EQ(any.taken, std::vector<bool>(5, true));
}

TEST(PtxUse, CodeThatAsksForNoThread) {
  EXPECT_TRUE(use_of(kernel(1, "ld.param.u64 %rd1, [k_param_0];\n"), "k", 1).alone);
  EXPECT_FALSE(use_of(kernel(1, "mov.u32 %r1, %tid.x;\n"), "k", 1).alone);
  EXPECT_FALSE(use_of(kernel(1, "mov.u32 %r1, %ctaid.y;\n"), "k", 1).alone);
}

// A power of double is a function of the module, which asks for no thread.
TEST(PtxUse, WhatIsCalledMayAskWhoItIs) {
  const auto alone_beside = [](const std::string& function) {
    const std::string called =
        ".visible .func (.reg .f64 %r) power(.reg .f64 %a)\n{\n" + function + "ret;\n}\n";
    std::string text = kernel(1, "call.uni power;\n");
    text.insert(text.find(".visible .entry other"), called);
    return use_of(text, "k", 1).alone;
  };
  EXPECT_TRUE(alone_beside("add.f64 %r, %a, %a;\n"));
  EXPECT_FALSE(alone_beside(".reg .b32 %t;\nmov.u32 %t, %tid.x;\n"));
}

}  // namespace
}  // namespace evo::intake
