// mbarrier instructions from text to instruction.
#include "evaluators/devices/virtual/ptx/opcode.hpp"
#include "tests/ptx/support.hpp"

namespace evo::evaluators::virtual_device::ptx::testing {
namespace {

TEST(PtxMbarrier, WhatIsSaidAndWhatIsLeftOut) {
  Instruction i = first("mbarrier.init.shared.b64 [%r1+8], %r2;\n");
  ASSERT_EQ(i.op, Opcode::mbarrier);
  EXPECT_EQ(i.mbarrier, MbarrierMode::init);
  EXPECT_EQ(i.space, Space::shared);
  EXPECT_EQ(i.offset, 8);
  EXPECT_EQ(i.src[0].kind, Operand::Kind::reg);

  i = first("mbarrier.arrive.shared.b64 %rd1, [%r1];\n");
  EXPECT_EQ(i.mbarrier, MbarrierMode::arrive);
  EXPECT_TRUE(i.release) << "where it says nothing";
  EXPECT_EQ(i.scope, Scope::cta);
  EXPECT_EQ(i.src_count, 0);
  EXPECT_EQ(first("mbarrier.arrive.shared::cta.b64 _, [%r1], 3;\n").src[0].bits, 3U);
  EXPECT_FALSE(first("mbarrier.arrive.relaxed.cta.shared::cta.b64 _, [%r1];\n").release);
  EXPECT_EQ(first("mbarrier.arrive.release.cluster.shared::cta.b64 _, [%r1];\n").scope, Scope::cluster);
  EXPECT_TRUE(first("mbarrier.arrive.noComplete.shared.b64 %rd1, [%r1], 2;\n").no_complete);
  EXPECT_TRUE(first("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r1], %r2;\n").expects);
  EXPECT_EQ(first("mbarrier.arrive_drop.shared.b64 %rd1, [%r1];\n").mbarrier, MbarrierMode::arrive_drop);
  EXPECT_EQ(first("mbarrier.inval.b64 [%rd1];\n").space, Space::generic);

  i = first("mbarrier.test_wait.shared.b64 %p1, [%r1], %rd2;\n");
  EXPECT_EQ(i.mbarrier, MbarrierMode::wait);
  EXPECT_TRUE(i.acquire && !i.parity);
  EXPECT_TRUE(first("mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r1], %r2;\n").parity);
  EXPECT_TRUE(first("mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r1], %r2, 100;\n").acquire);
  EXPECT_FALSE(first("mbarrier.test_wait.parity.relaxed.cta.shared.b64 %p1, [%r1], 1;\n").acquire);

  EXPECT_EQ(first("mbarrier.pending_count.b64 %r1, %rd2;\n").mbarrier, MbarrierMode::pending_count);
  EXPECT_EQ(first("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%r1], 64;\n").mbarrier,
            MbarrierMode::expect_tx);
  EXPECT_FALSE(first("cp.async.mbarrier.arrive.shared.b64 [%r1];\n").no_increment);
  EXPECT_TRUE(first("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%r1];\n").no_increment);
}

TEST(PtxMbarrier, WhatPtxDoesNotHaveIsUnsupported) {
  for (const char* statement :
       {"mbarrier.init.shared.b64 [%r1];\n", "mbarrier.init.shared.b32 [%r1], 1;\n",
        "mbarrier.arrive.shared.b64 [%r1];\n", "mbarrier.arrive.acquire.cta.shared.b64 %rd1, [%r1];\n",
        "mbarrier.arrive.cta.shared.b64 %rd1, [%r1];\n",
        "mbarrier.arrive.noComplete.shared.b64 %rd1, [%r1];\n",
        "mbarrier.arrive.expect_tx.shared.b64 %rd1, [%r1];\n", "mbarrier.arrive.shared.b64 %r2, [%r1];\n",
        "mbarrier.test_wait.shared.b64 %p1, [%r1];\n", "mbarrier.test_wait.shared.b64 %p1, [%r1], %r2;\n",
        "mbarrier.test_wait.shared.b64 %p1, [%r1], %rd2, 100;\n",
        "mbarrier.test_wait.release.cta.shared.b64 %p1, [%r1], %rd2;\n",
        "mbarrier.test_wait.shared.b64 %r3, [%r1], %rd2;\n", "mbarrier.inval.shared.b64 [%r1], 1;\n",
        "mbarrier.arrive.shared::cluster.b64 _, [%r1];\n", "mbarrier.wait.shared.b64 %p1, [%r1], %rd2;\n",
        "mbarrier.init.global.b64 [%rd1], 1;\n", "mbarrier.pending_count.shared.b64 %r1, %rd2;\n"}) {
    EXPECT_EQ(first(statement).op, Opcode::unsupported) << statement;
  }
}

}  // namespace
}  // namespace evo::evaluators::virtual_device::ptx::testing
