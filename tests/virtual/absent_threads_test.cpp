// Barriers and warp operations that some threads do not execute: those that have exited need not, those that
// went past have to, and lanes of one warp may meet from different places in the code.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/virtual/rig.hpp"
#include "tests/warp/text.hpp"

namespace evo::tests {
namespace {

using evaluators::devices::CheckLevel;
using testing::HasSubstr;
using Words = std::vector<std::uint32_t>;

class AbsentThreads : public testing::TestWithParam<std::tuple<CheckLevel, std::uint64_t>> {
 protected:
  static constexpr std::uint32_t none = 0xdead;
  /// What `threads` threads leave in `out` that run `body`; %r6 is the lane.
  evaluators::devices::Outcome<Words> run(const std::string& body, unsigned threads = 64) const {
    Rig rig(warp::kernel("and.b32 %r6, %r1, 31;\n" + body, ".shared .align 16 .b8 tile[1024];\n"), "k");
    std::tie(rig.options.checks, rig.options.schedule_seed) = GetParam();
    rig.options.instruction_budget = 200'000;
    const auto in = rig.buffer("in", Words(threads, 1));
    const auto out = rig.buffer("out", Words(threads, none));
    const auto done = rig.launch({{1, 1, 1}, {threads, 1, 1}, 0}, {pointer(in), pointer(out)});
    if (!done) return tl::unexpected(done.error());
    return rig.contents<std::uint32_t>(out, threads);
  }
  std::string reason(const std::string& body, unsigned threads = 64) const {
    const auto result = run(body, threads);
    return result ? "passed" : result.error().reason;
  }
  Words correct(const std::string& body, unsigned threads = 64) const {
    const auto result = run(body, threads);
    EXPECT_TRUE(result) << result.error().evidence.front().message;
    return result ? *result : Words(threads, 0);
  }
};

const std::string leave_at_40 = "setp.lt.u32 %p1, %r1, 40; @!%p1 exit;\n";

TEST_P(AbsentThreads, WhoHasExitedIsNotWaitedForAtABarrier) {
  const std::string exchange = R"(
    mov.u32 %r8, tile;
    shl.b32 %r7, %r1, 2;
    add.s32 %r9, %r8, %r7;
    st.shared.u32 [%r9], %r1;
    bar.sync 0;
    sub.u32 %r10, 39, %r1;
    shl.b32 %r7, %r10, 2;
    add.s32 %r9, %r8, %r7;
    ld.shared.u32 %r5, [%r9];
    st.global.u32 [%rd6], %r5;
)";
  const Words lanes = correct(leave_at_40 + exchange);
  for (unsigned t = 0; t < 64; ++t) EXPECT_EQ(lanes[t], t < 40 ? 39 - t : none);
  // Whole warps.
  const Words warps = correct("setp.lt.u32 %p1, %r1, 32; @!%p1 exit;\n" +
                              std::string("mov.u32 %r8, 31; bar.sync 0; st.global.u32 [%rd6], %r8;"));
  for (unsigned t = 0; t < 64; ++t) EXPECT_EQ(warps[t], t < 32 ? 31 : none);
}

TEST_P(AbsentThreads, WhoGoesPastABarrierIsTold) {
  const std::string some = "setp.lt.u32 %p1, %r1, 32; @!%p1 bra PAST; bar.sync 0;\nPAST:\n";
  const auto past = run(some + "st.global.u32 [%rd6], %r1;");
  ASSERT_FALSE(past);
  EXPECT_EQ(past.error().reason, "barrier_divergence");
  EXPECT_THAT(past.error().evidence.front().message, HasSubstr("went past the barrier"));
  EXPECT_EQ(reason(some), "passed") << "the same as leaving before it";
}

TEST_P(AbsentThreads, WhoHasExitedIsNotWaitedForInAWarpOperation) {
  const Words leader =
      correct(leave_at_40 + "shfl.sync.idx.b32 %r5, %r1, 3, 31, -1; st.global.u32 [%rd6], %r5;");
  for (unsigned t = 0; t < 64; ++t) EXPECT_EQ(leader[t], t < 40 ? t / 32 * 32 + 3 : none);
  // Bits of lanes that have exited are 0, and all is all of those that are left.
  const Words ballots = correct(leave_at_40 +
                                "setp.ge.u32 %p2, %r1, 0; vote.sync.ballot.b32 %r5, %p2, -1; "
                                "vote.sync.all.pred %p3, %p2, -1; @%p3 st.global.u32 [%rd6], %r5;");
  EXPECT_EQ(ballots[0], 0xffffffffU);
  EXPECT_EQ(ballots[39], 0xffU);
  const Words sums = correct(leave_at_40 + "redux.sync.add.s32 %r5, %r1, -1; st.global.u32 [%rd6], %r5;");
  EXPECT_EQ(sums[33], 32U + 33 + 34 + 35 + 36 + 37 + 38 + 39);
  const Words matches = correct(leave_at_40 + "match.any.sync.b32 %r5, 1, -1; st.global.u32 [%rd6], %r5;");
  EXPECT_EQ(matches[33], 0xffU);
  // A warp of the block's last 16 threads.
  const Words tail = correct("shfl.sync.idx.b32 %r5, %r1, 3, 31, -1; st.global.u32 [%rd6], %r5;", 48);
  EXPECT_EQ(tail[47], 35U);
}

TEST_P(AbsentThreads, WhatComesFromALaneThatHasExitedIsUndefined) {
  const std::string down = leave_at_40 + "shfl.sync.down.b32 %r5, %r1, 4, 31, -1;\n";
  const auto used = run(down + "st.global.u32 [%rd6], %r5;");
  ASSERT_FALSE(used);
  EXPECT_EQ(used.error().reason, "shuffle_mask");
  EXPECT_THAT(used.error().evidence.front().message, HasSubstr("has exited"));
  EXPECT_THAT(used.error().evidence.front().message, HasSubstr("is stored to global memory"));
  EXPECT_THAT(detail(used.error().evidence.front(), "thread"), HasSubstr("thread (36,0,0)"));
  EXPECT_EQ(reason(down + "setp.lt.u32 %p2, %r1, 36; @%p2 st.global.u32 [%rd6], %r5;"), "passed");
  // A lane that is there, but not in the mask.
  const std::string partial =
      "setp.lt.u32 %p1, %r6, 16; @!%p1 bra END; shfl.sync.down.b32 %r5, %r1, 8, 31, 65535;\n";
  EXPECT_EQ(reason(partial + "st.global.u32 [%rd6], %r5;\nEND:\n"), "shuffle_mask");
  EXPECT_EQ(reason(partial + "setp.lt.u32 %p2, %r6, 8; @%p2 st.global.u32 [%rd6], %r5;\nEND:\n"), "passed");
}

TEST_P(AbsentThreads, WhoGoesPastAWarpOperationIsTold) {
  const std::string some = "setp.lt.u32 %p1, %r6, 16; @!%p1 bra PAST; ";
  const std::string rest = "\nPAST:\n st.global.u32 [%rd6], %r1;";
  for (const char* operation :
       {"shfl.sync.idx.b32 %r1, %r1, 3, 31, -1;", "vote.sync.ballot.b32 %r5, %p1, -1;",
        "redux.sync.add.s32 %r5, %r1, -1;", "match.any.sync.b32 %r5, 1, -1;"}) {
    const auto past = run(some + operation + rest);
    ASSERT_FALSE(past) << operation;
    EXPECT_EQ(past.error().reason, "shuffle_mask");
    EXPECT_THAT(past.error().evidence.front().message, HasSubstr("went past it"));
  }
  // Others wait elsewhere: nobody comes.
  EXPECT_THAT(reason(some + "shfl.sync.idx.b32 %r5, %r1, 3, 31, -1;\nPAST:\n bar.sync 0;"),
              testing::AnyOf("shuffle_mask", "barrier_divergence"));
}

// Lane l goes round l + 1 times, stores, and leaves; those that are left vote on.
TEST_P(AbsentThreads, WhoLeavesALoopHasNotGonePast) {
  const auto loop = [](const std::string& meeting) {
    return "mov.u32 %r7, 0; mov.u32 %r5, 0;\nLOOP:\n" + meeting +
           "\nadd.u32 %r7, %r7, 1; setp.le.u32 %p1, %r7, %r6; @%p1 bra LOOP;\n st.global.u32 [%rd6], %r5;";
  };
  const Words votes = correct(loop("setp.ge.u32 %p2, %r6, 0; vote.sync.ballot.b32 %r5, %p2, -1;"));
  EXPECT_EQ(votes[0], 0xffffffffU);
  EXPECT_EQ(votes[31], 0x80000000U);
  // Warps that leave a loop with a barrier.
  const Words turns = correct("shr.u32 %r6, %r1, 5;\n" + loop("bar.sync 0; add.u32 %r5, %r5, 1;"));
  EXPECT_EQ(turns[0], 1U);
  EXPECT_EQ(turns[63], 2U);
}

TEST_P(AbsentThreads, AMatrixOperationNeedsItsWarp) {
  EXPECT_EQ(
      reason(leave_at_40 + "movmatrix.sync.aligned.m8n8.trans.b16 %r5, %r1; st.global.u32 [%rd6], %r5;"),
      "shuffle_mask");
}

TEST_P(AbsentThreads, TwoBranchesOfAWarpMeet) {
  const auto branches = [](const std::string& low, const std::string& high) {
    return "setp.lt.u32 %p1, %r6, 16; @%p1 bra LOW;\n" + high + "\nbra END;\nLOW:\n" + low +
           "\nEND:\n st.global.u32 [%rd6], %r5;";
  };
  // The operands differ, and the registers.
  const Words swapped = correct(branches("add.u32 %r7, %r1, 100; shfl.sync.bfly.b32 %r5, %r7, 16, 31, -1;",
                                         "mov.u32 %r20, 31; shfl.sync.bfly.b32 %r21|%p5, %r1, 16, %r20, -1; "
                                         "mov.u32 %r5, 0; @%p5 mov.u32 %r5, %r21;"));
  for (unsigned t = 0; t < 64; ++t) EXPECT_EQ(swapped[t], t % 32 < 16 ? t + 16 : t - 16 + 100);
  const Words voted = correct(branches("setp.lt.u32 %p2, %r6, 3; vote.sync.ballot.b32 %r5, %p2, -1;",
                                       "setp.ge.u32 %p7, %r6, 30; vote.sync.ballot.b32 %r5, %p7, -1;"));
  EXPECT_EQ(voted[0], 0xc0000007U);
  EXPECT_EQ(voted[31], 0xc0000007U);
  const Words all = correct(branches("vote.sync.all.pred %p2, %p1, -1; selp.b32 %r5, 1, 2, %p2;",
                                     "vote.sync.all.pred %p3, %p1, -1; selp.b32 %r5, 1, 2, %p3;"));
  EXPECT_EQ(all[1], 2U);
  const Words sums = correct(branches("redux.sync.add.s32 %r5, 1, -1;", "redux.sync.add.s32 %r5, 2, -1;"));
  EXPECT_EQ(sums[9], 48U);
  const Words matches =
      correct(branches("match.any.sync.b64 %r5, %rd3, -1;", "match.any.sync.b64 %r5, %rd1, -1;"));
  EXPECT_EQ(matches[2], 4U);
  EXPECT_EQ(matches[20], 0xffff0000U);
}

TEST_P(AbsentThreads, TwoBranchesThatDoNotMeet) {
  const auto branches = [](const std::string& low, const std::string& high) {
    return "setp.lt.u32 %p1, %r6, 16; @%p1 bra LOW;\n" + high + "\nbra END;\nLOW:\n" + low +
           "\nEND:\n st.global.u32 [%rd6], %r5;";
  };
  const std::string low = "shfl.sync.bfly.b32 %r5, %r1, 16, 31, -1;";
  EXPECT_EQ(reason(branches(low, "shfl.sync.bfly.b32 %r5, %r1, 16, 31, 0xffff0000;")), "shuffle_mask")
      << "two masks";
  EXPECT_EQ(reason(branches(low, "shfl.sync.idx.b32 %r5, %r1, 16, 31, -1;")), "shuffle_mask") << "two modes";
  EXPECT_EQ(reason(branches(low, "redux.sync.add.s32 %r5, %r1, -1;")), "shuffle_mask") << "two operations";
  EXPECT_EQ(reason(branches("redux.sync.min.s32 %r5, %r1, -1;", "redux.sync.add.s32 %r5, %r1, -1;")),
            "shuffle_mask");
  EXPECT_EQ(reason(branches("vote.sync.any.pred %p2, %p1, -1; mov.u32 %r5, 1;",
                            "vote.sync.all.pred %p2, %p1, -1; mov.u32 %r5, 1;")),
            "shuffle_mask");
  // Lanes at one instruction that do not agree on who takes part.
  EXPECT_EQ(reason("setp.lt.u32 %p1, %r6, 16; selp.b32 %r7, -1, 0xffff0000, %p1; "
                   "shfl.sync.bfly.b32 %r5, %r1, 1, 31, %r7; st.global.u32 [%rd6], %r5;"),
            "shuffle_mask");
  EXPECT_EQ(reason("setp.lt.u32 %p1, %r6, 16; selp.b32 %r7, 65535, 0xffff0000, %p1; "
                   "shfl.sync.bfly.b32 %r5, %r1, 1, 31, %r7; st.global.u32 [%rd6], %r5;"),
            "passed")
      << "two groups";
}

// Each half of the warp names itself in its mask, at one instruction.
const std::string own_half = "setp.lt.u32 %p1, %r6, 16; selp.b32 %r7, 65535, 0xffff0000, %p1;\n";

TEST_P(AbsentThreads, GroupsAtOneWarpBarrierAreNotOrdered) {
  const auto exchange = [](int lanes, const std::string& barrier) {
    return own_half + "mov.u32 %r8, tile; shl.b32 %r10, %r6, 2; add.s32 %r9, %r8, %r10;\n" +
           "xor.b32 %r10, %r10, " + std::to_string(lanes * 4) +
           "; add.s32 %r11, %r8, %r10; st.shared.u32 [%r9], %r1;\n" + barrier +
           "\nld.shared.u32 %r5, [%r11]; st.global.u32 [%rd6], %r5;";
  };
  const Words within = correct(exchange(1, "bar.warp.sync %r7;"), 32);
  for (unsigned t = 0; t < 32; ++t) EXPECT_EQ(within[t], t ^ 1U);
  EXPECT_EQ(reason(exchange(16, "bar.warp.sync %r7;"), 32), "race_shared");
  EXPECT_EQ(reason(exchange(16, "bar.warp.sync %r7; bar.warp.sync -1;"), 32), "passed");
  // The same from two places in the code.
  const std::string branches =
      "@%p1 bra LOW; bar.warp.sync 0xffff0000; bra BOTH;\nLOW:\n bar.warp.sync 65535;\nBOTH:";
  EXPECT_EQ(reason(exchange(16, branches), 32), "race_shared");
  EXPECT_EQ(
      reason(exchange(16, "@%p1 bra LOW; bar.warp.sync -1; bra BOTH;\nLOW:\n bar.warp.sync -1;\nBOTH:"), 32),
      "passed");
}

TEST_P(AbsentThreads, AShuffleReadsFromItsOwnGroup) {
  const auto across = [](int lanes) {
    return own_half + "shfl.sync.bfly.b32 %r5, %r1, " + std::to_string(lanes) +
           ", 31, %r7; st.global.u32 [%rd6], %r5;";
  };
  EXPECT_EQ(reason(across(8)), "passed");
  EXPECT_EQ(reason(across(16)), "shuffle_mask");
}

INSTANTIATE_TEST_SUITE_P(Schedules, AbsentThreads,
                         testing::Combine(testing::Values(CheckLevel::exact, CheckLevel::filtered),
                                          testing::Values(0, 1, 2)));

}  // namespace
}  // namespace evo::tests
