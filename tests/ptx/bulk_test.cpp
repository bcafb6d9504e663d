// Bulk copies (TMA) from text to instruction.
#include "evaluators/devices/virtual/ptx/dump.hpp"
#include "evaluators/devices/virtual/ptx/liveness.hpp"
#include "evaluators/devices/virtual/ptx/opcode.hpp"
#include "tests/ptx/support.hpp"

namespace evo::evaluators::virtual_device::ptx::testing {
namespace {

Instruction bulk_of(const std::string& statement) {
  return load(kernel(statement)).code.at(0);
}

TEST(PtxBulk, LoadsNameBothPlacesASizeAndAnMbarrier) {
  const Instruction copy = bulk_of(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1+32], [%rd2+-16], %r4, "
      "[%r3+8];\n");
  ASSERT_EQ(copy.op, Opcode::bulk_copy);
  EXPECT_EQ(copy.bulk.mode, BulkMode::load);
  EXPECT_EQ(copy.bulk.dimensions, 0);
  EXPECT_EQ(copy.space, Space::shared);
  EXPECT_EQ(copy.offset, 32);
  EXPECT_EQ(static_cast<std::int64_t>(copy.immediate), -16);
  EXPECT_EQ(copy.bulk.barrier_offset, 8);
  EXPECT_EQ(copy.src[1].kind, Operand::Kind::reg);
  EXPECT_EQ(copy.src[2].kind, Operand::Kind::none) << "no multicast";
  EXPECT_EQ(copy.src[3].kind, Operand::Kind::reg);
}

TEST(PtxBulk, StoresReductionsAndPrefetches) {
  const Instruction store =
      bulk_of("cp.async.bulk.global.shared::cta.bulk_group.L2::cache_hint [%rd1], [%r2+64], 256, %rd3;\n");
  EXPECT_EQ(store.bulk.mode, BulkMode::store);
  EXPECT_EQ(store.offset, 64);
  EXPECT_EQ(store.src[3].bits, 256U);
  const Instruction sum =
      bulk_of("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.noftz.bf16 [%rd1], [%r2], 32;\n");
  EXPECT_EQ(sum.bulk.mode, BulkMode::reduce);
  EXPECT_EQ(sum.atomic, AtomicOp::add);
  EXPECT_EQ(sum.type, Type::bf16);
  EXPECT_EQ(bulk_of("cp.async.bulk.prefetch.L2.global [%rd1], 64;\n").bulk.mode, BulkMode::prefetch);
}

TEST(PtxBulk, TensorsHaveAMapAndCoordinates) {
  const Instruction copy = bulk_of(
      "cp.async.bulk.tensor.5d.shared::cta.global.tile.mbarrier::complete_tx::bytes.multicast::cluster."
      "L2::cache_hint [%r1], [%rd2, {%r2, %r3, 4, %r5, -1}], [%r6], %rs1, %rd3;\n");
  ASSERT_EQ(copy.op, Opcode::bulk_copy);
  EXPECT_EQ(copy.bulk.dimensions, 5);
  EXPECT_TRUE(copy.bulk.multicast);
  EXPECT_EQ(copy.src_count, 8);
  EXPECT_EQ(copy.src[2].kind, Operand::Kind::reg);
  EXPECT_EQ(copy.src[5].bits, 4U);
  EXPECT_EQ(copy.src[7].bits, 0xffffffffU);
  EXPECT_EQ(
      bulk_of("cp.async.bulk.tensor.1d.global.shared::cta.bulk_group [%rd1, {%r1}], [%r2];\n").bulk.mode,
      BulkMode::store);
  const Instruction least = bulk_of(
      "cp.reduce.async.bulk.tensor.2d.global.shared::cta.min.bulk_group [%rd1, {%r1, %r2}], [%r3];\n");
  EXPECT_EQ(least.atomic, AtomicOp::min);
}

TEST(PtxBulk, GroupsAndFences) {
  EXPECT_EQ(bulk_of("cp.async.bulk.commit_group;\n").op, Opcode::bulk_commit);
  const Instruction wait = bulk_of("cp.async.bulk.wait_group.read 3;\n");
  EXPECT_EQ(wait.op, Opcode::bulk_wait);
  EXPECT_TRUE(wait.bulk.only_reads);
  EXPECT_EQ(wait.src[0].bits, 3U);
  EXPECT_FALSE(bulk_of("cp.async.bulk.wait_group 0;\n").bulk.only_reads);
  for (const char* fence :
       {"fence.proxy.async;\n", "fence.proxy.async.shared::cta;\n", "fence.proxy.async.global;\n",
        "fence.mbarrier_init.release.cluster;\n", "fence.proxy.tensormap::generic.release.gpu;\n",
        "fence.proxy.tensormap::generic.acquire.gpu [%rd1], 128;\n", "fence.proxy.alias;\n"}) {
    EXPECT_EQ(bulk_of(fence).op, Opcode::proxy_fence) << fence;
  }
  EXPECT_EQ(bulk_of("prefetch.tensormap [%rd1];\n").op, Opcode::prefetch);
}

TEST(PtxBulk, WhatIsNotKnownIsUnsupported) {
  for (
      const char* statement : {
          "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r1], [%r2], 16, [%r3];\n",
          "cp.async.bulk.shared::cluster.global.bulk_group [%r1], [%rd2], 16;\n",
          "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd2], [%r3];\n",
          "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%r1], "
          "[%rd2], 16, "
          "[%r3];\n",
          "cp.async.bulk.global.shared::cta.bulk_group.cp_mask [%rd1], [%r2], 16, %rs1;\n",
          "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd1, {%r2}], "
          "[%r3];\n",
          "cp.async.bulk.tensor.6d.global.shared::cta.bulk_group [%rd1, {%r1}], [%r2];\n",
          "cp.async.bulk.tensor.3d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%r1], [%rd1, "
          "{%r2, "
          "%r3, %r4}], [%r5], {%rs1};\n",
          "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.noftz.f32 [%rd1], [%r2], 16;\n",
          "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f16 [%rd1], [%r2], 16;\n",
          "cp.reduce.async.bulk.global.shared::cta.bulk_group.and.u32 [%rd1], [%r2], 16;\n",
          "cp.async.bulk.wait_group %r1;\n",
          "fence.proxy.async.local;\n",
          "fence.mbarrier_init.acquire.cluster;\n",
      }) {
    EXPECT_EQ(bulk_of(statement).op, Opcode::unsupported) << statement;
  }
}

TEST(PtxBulk, EveryRegisterCountsAsRead) {
  const Program program =
      load(kernel("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd2, "
                  "{%r3, %r4}], "
                  "[%r5];\n"));
  std::vector<std::string> read;
  for_each_read(program, program.code[0],
                [&](std::uint32_t r) { read.push_back(program.register_names[r]); });
  EXPECT_THAT(read, ::testing::UnorderedElementsAre("%r1", "%rd2", "%r3", "%r4", "%r5"));
}

}  // namespace
}  // namespace evo::evaluators::virtual_device::ptx::testing
