// wgmma and its kin from text to instruction.
#include "evaluators/devices/virtual/ptx/liveness.hpp"
#include "evaluators/devices/virtual/ptx/opcode.hpp"
#include "tests/ptx/support.hpp"

namespace evo::evaluators::virtual_device::ptx::testing {
namespace {

Instruction first_in(const std::string& statement) {
  return load(kernel(statement)).code.at(0);
}
Instruction product(const std::string& spelling, const std::string& rest) {
  return first_in("wgmma.mma_async.sync.aligned." + spelling + " " + rest + ";\n");
}

TEST(PtxWarpgroup, OperandsOfAProduct) {
  const Instruction both =
      product("m64n8k16.f32.f16.f16", "{%f1, %f2, %f3, %f4}, %rd1, %rd2, %p1, 1, -1, 0, 1");
  ASSERT_EQ(both.op, Opcode::wgmma);
  EXPECT_EQ(both.warpgroup.n, 8);
  EXPECT_EQ(both.warpgroup.k, 16);
  EXPECT_FALSE(both.warpgroup.a_in_registers || both.warpgroup.a_negated || both.warpgroup.a_transposed);
  EXPECT_TRUE(both.warpgroup.b_negated && both.warpgroup.b_transposed);
  EXPECT_EQ(both.matrix_dst, 4);
  EXPECT_EQ(both.matrix_src, 4) << "D is added";
  const Instruction registers =
      product("m64n8k16.f16.f16.f16", "{%r1, %r2}, {%r3, %r4, %r5, %r6}, %rd2, 0, 1, 1, 0");
  ASSERT_EQ(registers.op, Opcode::wgmma);
  EXPECT_TRUE(registers.warpgroup.a_in_registers);
  EXPECT_EQ(registers.matrix_src, 4) << "A; D is never added";
}

TEST(PtxWarpgroup, EveryTypeHasItsShape) {
  const std::string four = "{%r1, %r2, %r3, %r4}, %rd1, %rd2, %p1";
  for (const char* known : {"m64n8k16.f32.bf16.bf16", "m64n8k8.f32.tf32.tf32", "m64n8k32.f32.e4m3.e5m2"}) {
    const bool halves = std::string(known).find("bf16") != std::string::npos;
    EXPECT_EQ(product(known, four + ", 1, 1" + (halves ? ", 0, 0" : "")).op, Opcode::wgmma) << known;
  }
  EXPECT_EQ(product("m64n8k32.s32.s8.u8", four).op, Opcode::wgmma);
  EXPECT_EQ(product("m64n8k32.satfinite.s32.u8.u8", four).op, Opcode::wgmma);
}

TEST(PtxWarpgroup, Orders) {
  EXPECT_EQ(first_in("wgmma.fence.sync.aligned;\n").op, Opcode::wgmma_fence);
  EXPECT_EQ(first_in("wgmma.commit_group.sync.aligned;\n").op, Opcode::wgmma_commit);
  const Instruction wait = first_in("wgmma.wait_group.sync.aligned 3;\n");
  EXPECT_EQ(wait.op, Opcode::wgmma_wait);
  EXPECT_EQ(wait.immediate, 3U);
  EXPECT_EQ(first_in("setmaxnreg.dec.sync.aligned.u32 40;\n").op, Opcode::set_max_registers);
  for (const char* fence : {"fence.proxy.async", "fence.proxy.async.shared::cta", "fence.proxy.async.global",
                            "fence.mbarrier_init.release.cluster"})
    EXPECT_EQ(first_in(fence + std::string(";\n")).op, Opcode::proxy_fence) << fence;
}

TEST(PtxWarpgroup, WhatIsNotKnownIsUnsupported) {
  const std::string four = "{%r1, %r2, %r3, %r4}, %rd1, %rd2, %p1, 1, 1, 0, 0;\n";
  const std::string name = "wgmma.mma_async.sync.aligned.";
  for (const std::string& statement :
       {name + "m64n8k8.f32.f16.f16 " + four, name + "m64n12k16.f32.f16.f16 " + four,
        name + "m64n264k16.f32.f16.f16 " + four, name + "m32n8k16.f32.f16.f16 " + four,
        name + "m64n8k16.f32.f16.bf16 " + four, name + "m64n8k16.f16.bf16.bf16 " + four,
        name + "m64n16k16.f32.f16.f16 " + four,
        name + "m64n8k16.f32.f16.f16 {%r1, %r2, %r3, %r4}, %rd1, %rd2, %p1, 1, 2, 0, 0;\n",
        name + "m64n8k16.f32.f16.f16 {%r1, %r2, %r3, %r4}, %rd1, %rd2, %p1, 1, 1, 0, 2;\n",
        name + "m64n8k16.f32.f16.f16 {%r1, %r2, %r3, %r4}, %rd1, %rd2, %p1, 1, 1, 0;\n",
        name + "m64n40k32.s32.s8.s8 " + four,
        std::string("wgmma.mma_async.sp.sync.aligned.m64n8k32.f32.f16.f16 " + four),
        std::string("wgmma.fence.sync;\n"), std::string("wgmma.wait_group.sync.aligned %r1;\n"),
        std::string("setmaxnreg.inc.sync.aligned.u32 28;\n")}) {
    EXPECT_EQ(first_in(statement).op, Opcode::unsupported) << statement;
  }
}

}  // namespace
}  // namespace evo::evaluators::virtual_device::ptx::testing
