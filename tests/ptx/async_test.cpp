// cp.async from text to instruction.
#include "evaluators/devices/virtual/ptx/dump.hpp"
#include "evaluators/devices/virtual/ptx/liveness.hpp"
#include "evaluators/devices/virtual/ptx/opcode.hpp"
#include "tests/ptx/support.hpp"

namespace evo::evaluators::virtual_device::ptx::testing {
namespace {

Instruction first_of(const std::string& statement) {
  return load(kernel(statement)).code.at(0);
}
unsigned bytes(const Instruction& i) {
  return size_of(i.type) * i.vector;
}

TEST(PtxAsync, AddressesAndSize) {
  const Instruction copy = first_of("cp.async.cg.shared.global.L2::128B [%r1+32], [%rd2+-16], 16;\n");
  ASSERT_EQ(copy.op, Opcode::cp_async);
  EXPECT_EQ(copy.space, Space::shared);
  EXPECT_EQ(copy.offset, 32);
  EXPECT_EQ(copy.base.kind, Operand::Kind::reg);
  EXPECT_EQ(copy.src[0].kind, Operand::Kind::reg);
  EXPECT_EQ(static_cast<std::int64_t>(copy.immediate), -16);
  EXPECT_EQ(bytes(copy), 16U);
  EXPECT_EQ(copy.src[1].kind, Operand::Kind::none) << "reads all";
  EXPECT_EQ(copy.src[2].kind, Operand::Kind::none) << "ignores nothing";
  EXPECT_EQ(bytes(first_of("cp.async.ca.shared.global [%r1], [%rd2], 4;\n")), 4U);
  EXPECT_EQ(bytes(first_of("cp.async.ca.shared::cta.global [%r1], [%rd2], 8;\n")), 8U);
}

TEST(PtxAsync, SourceSizeIgnoreSourceAndPolicy) {
  Instruction copy = first_of("cp.async.ca.shared.global [%r1], [%rd2], 16, 12;\n");
  EXPECT_EQ(copy.src[1].kind, Operand::Kind::immediate);
  EXPECT_EQ(copy.src[1].bits, 12U);
  copy = first_of("cp.async.ca.shared.global [%r1], [%rd2], 16, %r3;\n");
  EXPECT_EQ(copy.src[1].kind, Operand::Kind::reg);
  copy = first_of("cp.async.ca.shared.global [%r1], [%rd2], 16, %p1;\n");
  EXPECT_EQ(copy.src[1].kind, Operand::Kind::none);
  EXPECT_EQ(copy.src[2].kind, Operand::Kind::reg);
  copy = first_of("@%p1 cp.async.cg.shared.global.L2::cache_hint [%r1], [%rd2], 16, %r3, %rd4;\n");
  EXPECT_EQ(copy.guard.kind, Operand::Kind::reg);
  EXPECT_EQ(copy.src[1].kind, Operand::Kind::reg);
  copy = first_of("cp.async.cg.shared.global.L2::cache_hint [%r1], [%rd2], 16, %rd4;\n");
  EXPECT_EQ(copy.src[1].kind, Operand::Kind::none);
}

// What a cache keeps changes no value: a policy is a number like another.
TEST(PtxAsync, Policies) {
  for (const char* statement : {"createpolicy.fractional.L2::evict_first.b64 %rd1, 1.0;\n",
                                "createpolicy.fractional.L2::evict_last.L2::evict_unchanged.b64 %rd1, %f1;\n",
                                "createpolicy.fractional.L2::evict_normal.b64 %rd1;\n"}) {
    const Instruction policy = first_of(statement);
    EXPECT_EQ(policy.op, Opcode::mov) << statement;
    EXPECT_EQ(policy.type, Type::b64) << statement;
    EXPECT_EQ(policy.src[0].kind, Operand::Kind::immediate) << statement;
  }
  for (const char* statement : {"createpolicy.fractional.L2::evict_first %rd1, 1.0;\n",
                                "createpolicy.fractional.L2::evict_soon.b64 %rd1, 1.0;\n",
                                "createpolicy.fractional.L2::evict_first.L2::evict_last.b64 %rd1, 1.0;\n",
                                "createpolicy.fractional.L2::evict_first.b64 %rd1, 1.0, 1.0;\n"})
    EXPECT_EQ(first_of(statement).op, Opcode::unsupported) << statement;
}

TEST(PtxAsync, Groups) {
  EXPECT_EQ(first_of("cp.async.commit_group;\n").op, Opcode::cp_async_commit);
  const Instruction some = first_of("cp.async.wait_group 2;\n");
  EXPECT_EQ(some.op, Opcode::cp_async_wait);
  ASSERT_EQ(some.src_count, 1);
  EXPECT_EQ(some.src[0].bits, 2U);
  const Instruction all = first_of("cp.async.wait_all;\n");
  EXPECT_EQ(all.op, Opcode::cp_async_wait);
  EXPECT_EQ(all.src_count, 0);
}

TEST(PtxAsync, WhatIsNotKnownIsUnsupported) {
  for (const char* statement : {
           "cp.async.cg.shared.global [%r1], [%rd2], 8;\n",
           "cp.async.ca.shared.global [%r1], [%rd2], 12;\n",
           "cp.async.ca.shared.global [%r1], [%rd2], %r3;\n",
           "cp.async.ca.global.shared [%rd1], [%r2], 16;\n",
           "cp.async.ca.shared [%r1], [%rd2], 16;\n",
           "cp.async.shared.global [%r1], [%rd2], 16;\n",
           "cp.async.ca.shared.global [%r1], [%rd2];\n",
           "cp.async.ca.shared.global.L2::cache_hint [%r1], [%rd2], 16;\n",
           "cp.async.wait_group %r1;\n",
           "cp.async.wait_group;\n",
           "cp.async.mbarrier.arrive.inc.shared.b64 [%r1];\n",
       }) {
    EXPECT_EQ(first_of(statement).op, Opcode::unsupported) << statement;
  }
}

TEST(PtxAsync, EveryRegisterCountsAsRead) {
  const Program program = load(kernel("cp.async.ca.shared.global [%r1], [%rd2], 16, %r3;\n"));
  std::vector<std::string> read;
  for_each_read(program, program.code[0],
                [&](std::uint32_t r) { read.push_back(program.register_names[r]); });
  EXPECT_THAT(read, ::testing::UnorderedElementsAre("%r1", "%rd2", "%r3"));
}

TEST(PtxAsync, DumpNamesBothSides) {
  const Program program = load(kernel("cp.async.cg.shared.global [%r1+16], [%rd2+32], 16, %r3;\n"));
  const std::string text = dump(program, program.code[0]);
  EXPECT_THAT(text, ::testing::HasSubstr("shared[%r1"));
  EXPECT_THAT(text, ::testing::HasSubstr("16 bytes from src + 0x20"));
}

}  // namespace
}  // namespace evo::evaluators::virtual_device::ptx::testing
