// Launches that never end are told from what they do, long before a budget is spent; and blocks that wait for
// each other come on as long as they fit beside each other.
#include <gtest/gtest.h>

#include "tests/virtual/rig.hpp"

namespace evo::tests {
namespace {

using evaluators::devices::CheckLevel;
using evaluators::devices::LaunchReport;
using evaluators::devices::Outcome;

constexpr std::uint64_t no_budget = std::uint64_t{1} << 60;

std::string kernel(const std::string& body) {
  return ".version 8.3\n.target sm_89\n.address_size 64\n.visible .entry k(.param .u64 p) {\n"
         ".reg .pred %p<4>;\n.reg .b32 %r<8>;\n.reg .b64 %rd<4>;\n"
         "ld.param.u64 %rd1, [p];\nmov.u32 %r5, %ctaid.x;\n" +
         body + "ret;\n}\n";
}

Outcome<LaunchReport> run(const std::string& body, unsigned blocks, CheckLevel checks) {
  Rig rig(kernel(body), "k");
  rig.options.checks = checks;
  rig.options.instruction_budget = no_budget;
  const auto flags = rig.buffer<std::uint32_t>("flags", std::vector<std::uint32_t>(64, 0));
  model::LaunchPlan plan;
  plan.grid = {blocks, 1, 1};
  plan.block = {32, 1, 1};
  return rig.launch(plan, {pointer(flags)});
}

void expect_hang(const std::string& body, unsigned blocks = 1) {
  for (const CheckLevel checks : {CheckLevel::none, CheckLevel::filtered}) {
    const auto outcome = run(body, blocks, checks);
    ASSERT_FALSE(outcome);
    EXPECT_EQ(outcome.error().status, model::Status::timeout);
    EXPECT_EQ(outcome.error().reason, "hang");
  }
}

// No block takes more than it may; all together take more than somebody wants to wait for.
TEST(Hang, AllBlocksTogetherMayHaveABudget) {
  const std::string body =
      "mov.u32 %r2, 0;\nL: add.u32 %r2, %r2, 1;\nsetp.lt.u32 %p1, %r2, 1000;\n@%p1 bra L;\n";
  const auto launch = [&](std::uint64_t budget, CheckLevel checks) {
    Rig rig(kernel(body), "k");
    rig.options.checks = checks;
    rig.options.whole_budget = budget;
    const auto flags = rig.buffer<std::uint32_t>("flags", std::vector<std::uint32_t>(64, 0));
    model::LaunchPlan plan;
    plan.grid = {40, 1, 1};
    plan.block = {32, 1, 1};
    return rig.launch(plan, {pointer(flags)});
  };
  for (const CheckLevel checks : {CheckLevel::none, CheckLevel::filtered}) {
    const auto all = launch(0, checks);
    ASSERT_TRUE(all);
    EXPECT_TRUE(launch(all->thread_instructions, checks));
    const auto less = launch(all->thread_instructions - 1, checks);
    ASSERT_FALSE(less);
    EXPECT_EQ(less.error().status, model::Status::timeout);
    EXPECT_FALSE(launch(all->thread_instructions / 40, checks)) << "of one block";
  }
}

TEST(Hang, ASpinOnAFlagThatNobodySets) {
  expect_hang("L: ld.volatile.global.u32 %r1, [%rd1];\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 bra L;\n");
}
TEST(Hang, ASpinThatCountsHowLongItWaits) {
  expect_hang(
      "mov.u32 %r2, 0;\nL: ld.volatile.global.u32 %r1, [%rd1];\nadd.u32 %r2, %r2, 1;\nsetp.eq.u32 %p1, %r1, "
      "0;\n"
      "@%p1 bra L;\nst.global.u32 [%rd1+128], %r2;\n");
}
TEST(Hang, ASpinWithoutStrongAccesses) {
  expect_hang("L: ld.global.u32 %r1, [%rd1];\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 bra L;\n");
}
TEST(Hang, ALoopWithoutAWayOut) {
  expect_hang(
      "mov.u32 %r4, %tid.x;\nmad.lo.u32 %r3, %r5, 32, %r4;\nmul.wide.u32 %rd2, %r3, 4;\n"
      "add.u64 %rd2, %rd1, %rd2;\nmov.u32 %r2, 0;\n"
      "L: add.u32 %r2, %r2, 1;\nst.global.u32 [%rd2], %r2;\nbra L;\n");
}
TEST(Hang, BlocksThatWaitForEachOtherInACircle) {
  expect_hang(
      "xor.b32 %r6, %r5, 1;\nmul.wide.u32 %rd2, %r6, 4;\nadd.u64 %rd2, %rd1, %rd2;\n"
      "L: atom.global.add.u32 %r1, [%rd2], 0;\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 bra L;\n"
      "mul.wide.u32 %rd3, %r5, 4;\nadd.u64 %rd3, %rd1, %rd3;\natom.global.exch.b32 %r1, [%rd3], 1;\n",
      2);
}
TEST(Hang, AMutexThatIsNeverGivenBack) {
  expect_hang("L: atom.global.cas.b32 %r1, [%rd1], 0, 1;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra L;\n");
}

TEST(Progress, ABlockWaitsForALaterOne) {
  const std::string body =
      "setp.ne.u32 %p2, %r5, 0;\n@%p2 bra SET;\n"
      "L: ld.acquire.gpu.global.u32 %r1, [%rd1];\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 bra L;\nbra END;\n"
      "SET: mov.u32 %r1, 1;\nst.release.gpu.global.u32 [%rd1], %r1;\nEND:\n";
  for (const CheckLevel checks : {CheckLevel::none, CheckLevel::filtered, CheckLevel::exact}) {
    const auto outcome = run(body, 3, checks);
    EXPECT_TRUE(outcome) << outcome.error().evidence.front().message;
  }
}

/// All blocks meet at a counter: 4 blocks of 32 threads on one multiprocessor that holds `resident` of them.
Outcome<LaunchReport> meet(int resident) {
  model::TargetProfile target = small_target();
  target.sm_count = 1;
  target.max_warps_per_sm = 48;
  target.max_blocks_per_sm = resident;
  target.max_threads_per_block = 1024;
  target.smem_per_sm = 100 * 1024;
  evaluators::devices::VirtualDevice device{target};
  model::Artifact artifact;
  artifact.ptx = kernel(
      "atom.global.add.u32 %r1, [%rd1], 1;\nL: ld.relaxed.gpu.global.u32 %r1, [%rd1];\n"
      "setp.lt.u32 %p1, %r1, 128;\n@%p1 bra L;\n");
  artifact.entry = "k";
  const auto module = device.load(artifact).value();
  const auto flags = device.allocate({256, 0, "flags"}).value();
  const std::vector<std::byte> zeros(256);
  EXPECT_TRUE(device.write(flags, zeros));
  model::LaunchPlan plan;
  plan.grid = {4, 1, 1};
  plan.block = {32, 1, 1};
  evaluators::devices::LaunchOptions options;
  options.instruction_budget = no_budget;
  const std::vector<evaluators::devices::KernelArgument> arguments{pointer(flags)};
  return device.launch(module, plan, arguments, options);
}

TEST(Progress, AGridBarrierNeedsAllBlocksOnTheGpuAtATime) {
  const auto fits = meet(4);
  EXPECT_TRUE(fits) << fits.error().reason;
  const auto too_many = meet(3);
  ASSERT_FALSE(too_many);
  EXPECT_EQ(too_many.error().reason, "hang");
}

}  // namespace
}  // namespace evo::tests
