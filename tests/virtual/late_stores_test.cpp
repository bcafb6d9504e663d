// What one block tells another in permuted launches: a block may lose its turn in front of each strong
// access, others see a strong store late that no fence puts in order, a strong load may come early, and a
// block may stand still. Both machines.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "evaluators/devices/schedules.hpp"
#include "tests/virtual/rig.hpp"
#include "tests/warp/text.hpp"

namespace evo::tests {
namespace {

using evaluators::devices::CheckLevel;

constexpr std::uint64_t seeds = 48;

class BetweenBlocks : public ::testing::TestWithParam<CheckLevel> {
 protected:
  /// Block 0 runs `tell`, block 1 waits until the flag (at %rd1 + 128) is set and then runs `hear`, which
  /// leaves in %r6 what it read. How many of the seeds give 7.
  std::uint64_t heard(const std::string& tell, const std::string& hear, std::uint64_t first = 1) {
    std::uint64_t sevens = 0;
    const std::string text =
        "    mov.u32 %r2, %ctaid.x;\n    mov.u32 %r7, 7;\n    mov.u32 %r8, 1;\n    mov.u32 %r6, 0;\n    "
        "setp.ne.u32 %p1, %r2, 0;\n    @%p1 bra WAIT;\n" +
        tell +
        "    bra END;\n  WAIT:\n    ld.volatile.global.u32 %r5, [%rd1+128];\n"
        "    setp.eq.u32 %p2, %r5, 0;\n    @%p2 bra WAIT;\n" +
        hear + "    st.global.u32 [%rd2], %r6;\n  END:\n";
    for (std::uint64_t seed = first; seed < first + seeds; ++seed) {
      Rig rig(warp::kernel(text), "k");
      rig.options.checks = GetParam();
      rig.options.schedule_seed = seed;
      const auto out = rig.empty<std::uint32_t>("out", 1);
      std::vector<std::uint32_t> data(64, 0);
      data[0] = 3;
      const auto done =
          rig.launch({{2, 1, 1}, {1, 1, 1}, 0}, {pointer(rig.buffer("data", data)), pointer(out)});
      EXPECT_TRUE(done) << done.error().evidence.front().message;
      if (!done) break;
      sevens += rig.contents<std::uint32_t>(out, 1).front() == 7 ? 1 : 0;
      if (first == 0) return sevens * seeds;
    }
    return sevens;
  }
  const std::string value = "    st.volatile.global.u32 [%rd1], %r7;\n";
  const std::string flag = "    st.volatile.global.u32 [%rd1+128], %r8;\n";
  const std::string fence = "    membar.gl;\n";
  const std::string release = "    st.release.gpu.global.u32 [%rd1+128], %r8;\n";
  const std::string block_fence = "    membar.cta;\n";
  const std::string atomic_flag = "    atom.global.exch.b32 %r4, [%rd1+128], 1;\n";
  const std::string read = "    ld.volatile.global.u32 %r6, [%rd1];\n";
  const std::string exchange = "    atom.global.add.u32 %r6, [%rd1], 0;\n";
};

TEST_P(BetweenBlocks, AFenceBetweenValueAndFlagIsEnough) {
  EXPECT_EQ(heard(value + fence + flag, fence + read), seeds);
  EXPECT_EQ(heard(value + fence + atomic_flag, fence + read), seeds);
  EXPECT_EQ(heard(value + release, fence + read), seeds);
}

TEST_P(BetweenBlocks, WithoutItTheValueMayBeLate) {
  for (const std::string& tell : {value + flag, value + atomic_flag, value + block_fence + flag}) {
    const std::uint64_t correct = heard(tell, fence + read);
    EXPECT_LT(correct, seeds) << tell;
    EXPECT_GT(correct, 0U) << tell;
  }
}

TEST_P(BetweenBlocks, AFenceBehindTheFlagIsNoneForTheValue) {
  for (const std::string& tell :
       {value + flag + fence, value + atomic_flag + fence, value + block_fence + atomic_flag + fence}) {
    const std::uint64_t correct = heard(tell, fence + read);
    EXPECT_LT(correct, seeds) << tell;
    EXPECT_GT(correct, 0U) << tell;
  }
  // Who has fenced and then looks at something has stored before.
  EXPECT_EQ(heard(value + fence + exchange + flag, fence + read), seeds);
}

TEST_P(BetweenBlocks, AFlagInFrontOfItsValueIsSeenFirst) {
  const std::uint64_t correct = heard(flag + fence + value, fence + read);
  EXPECT_LT(correct, seeds);
  EXPECT_GT(correct, 0U);
}

TEST_P(BetweenBlocks, WhoSeesTheFlagThatALateOneReplacesHasWhatThatOneSays) {
  const std::string plain_value = "    st.global.u32 [%rd1], %r7;\n",
                    plain_read = "    ld.global.u32 %r6, [%rd1];\n";
  const std::string raised = "    add.u32 %r8, %r8, 1;\n" + flag;
  EXPECT_EQ(heard(plain_value + fence + flag + raised, fence + plain_read), seeds);
}

TEST_P(BetweenBlocks, AnAtomicAccessSeesTheLastValue) {
  EXPECT_EQ(heard(value + flag, exchange), seeds);
}

TEST_P(BetweenBlocks, NothingOfItInNaturalOrder) {
  EXPECT_EQ(heard(flag + fence + value, fence + read, 0), seeds);
  EXPECT_EQ(heard(value + flag, read, 0), seeds);
}

TEST_P(BetweenBlocks, ALoadBehindAFlagMayBeOlderThanTheFlag) {
  for (const std::string& hear : {read, block_fence + read}) {
    const std::uint64_t correct = heard(value + fence + flag, hear);
    EXPECT_LT(correct, seeds) << hear;
    EXPECT_GT(correct, 0U) << hear;
  }
}

TEST_P(BetweenBlocks, WhatOrdersALoadBehindAFlag) {
  const std::string look = "    ld.acquire.gpu.global.u32 %r9, [%rd1+128];\n";
  for (const std::string& order : {fence, std::string("    fence.acquire.gpu;\n"), look,
                                   std::string("    bar.sync 0;\n"), std::string("    bar.warp.sync 1;\n")})
    EXPECT_EQ(heard(value + fence + flag, order + read), seeds) << order;
  EXPECT_EQ(heard(value + fence + flag, exchange), seeds);
}

TEST_P(BetweenBlocks, WhoHasSeenAValueSeesNoOlderOne) {
  // Until both loads differ the second may be older; then it may not.
  const std::string again = "    ld.volatile.global.u32 %r9, [%rd1];\n    setp.eq.u32 %p3, %r9, 7;\n" + read +
                            "    @!%p3 mov.u32 %r6, 7;\n";
  EXPECT_EQ(heard(value + fence + flag, again), seeds);
}

TEST_P(BetweenBlocks, WhatAnAtomicOperationLeavesMayBeLateForLoads) {
  const std::string add = "    atom.global.add.u32 %r4, [%rd1], 4;\n";
  for (const std::string& tell : {add + flag, add + atomic_flag}) {
    const std::uint64_t correct = heard(tell, fence + read);
    EXPECT_LT(correct, seeds) << tell;
    EXPECT_GT(correct, 0U) << tell;
    EXPECT_EQ(heard(tell, exchange), seeds) << tell;
  }
  EXPECT_EQ(heard(add + fence + atomic_flag, fence + read), seeds);
  EXPECT_EQ(heard("    atom.release.gpu.global.add.u32 %r4, [%rd1], 4;\n" + release, fence + read), seeds);
}

/// What a thread's fence covers: its own stores, and what it knows of others of its block.
class FencesOfThreads : public ::testing::TestWithParam<CheckLevel> {
 protected:
  /// Thread 32 of block 0 stores 7 and runs `tell`; thread 0 runs `hear`, fences, and sets the flag on which
  /// block 1 waits. How many of the seeds give 7 there.
  std::uint64_t sevens(const std::string& tell, const std::string& hear) {
    std::uint64_t count = 0;
    const std::string text =
        "    mov.u32 %r2, %ctaid.x;\n    mov.u32 %r7, 7;\n    mov.u32 %r8, 1;\n    mov.u32 %r6, 0;\n"
        "    st.volatile.shared.u32 [cell], %r6;\n    bar.sync 0;\n"
        "    setp.ne.u32 %p1, %r2, 0;\n    @%p1 bra OTHER;\n    setp.eq.u32 %p2, %r1, 32;\n"
        "    @%p2 bra SECOND;\n    setp.ne.u32 %p3, %r1, 0;\n    @%p3 bra END;\n" +
        hear +
        "    membar.gl;\n    st.volatile.global.u32 [%rd1+128], %r8;\n    bra END;\n"
        "  SECOND:\n    st.volatile.global.u32 [%rd1], %r7;\n" +
        tell +
        "    bra END;\n  OTHER:\n    setp.ne.u32 %p4, %r1, 0;\n    @%p4 bra END;\n"
        "  WAIT:\n    ld.volatile.global.u32 %r5, [%rd1+128];\n    setp.eq.u32 %p5, %r5, 0;\n"
        "    @%p5 bra WAIT;\n    membar.gl;\n    ld.volatile.global.u32 %r6, [%rd1];\n"
        "    st.global.u32 [%rd2], %r6;\n  END:\n";
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
      Rig rig(warp::kernel(text, ".shared .align 4 .b32 cell;"), "k");
      rig.options.checks = GetParam();
      rig.options.schedule_seed = seed;
      const auto out = rig.empty<std::uint32_t>("out", 1);
      const auto done =
          rig.launch({{2, 1, 1}, {33, 1, 1}, 0},
                     {pointer(rig.buffer("data", std::vector<std::uint32_t>(64, 0))), pointer(out)});
      EXPECT_TRUE(done) << done.error().evidence.front().message;
      if (!done) break;
      count += rig.contents<std::uint32_t>(out, 1).front() == 7 ? 1 : 0;
    }
    return count;
  }
  const std::string set = "    st.volatile.shared.u32 [cell], %r8;\n";
  const std::string wait =
      "  TURN:\n    ld.volatile.shared.u32 %r9, [cell];\n    setp.eq.u32 %p6, %r9, 0;\n    @%p6 bra TURN;\n";
  const std::string block_fence = "    membar.cta;\n";
};

TEST_P(FencesOfThreads, OneOfAnotherThreadIsNone) {
  const std::uint64_t correct = sevens(set, wait);
  EXPECT_LT(correct, seeds);
  EXPECT_GT(correct, 0U);
}

TEST_P(FencesOfThreads, ItCoversWhatItsBlockHasToldIt) {
  EXPECT_EQ(sevens(block_fence + set, wait + block_fence), seeds);
  EXPECT_EQ(sevens("    membar.gl;\n" + set, wait), seeds);
  const std::string meet = "    bar.sync 1, 64;\n";
  EXPECT_EQ(sevens(meet, meet), seeds);
  // Who has seen it.
  const std::string look = "    ld.volatile.global.u32 %r4, [%rd1];\n";
  EXPECT_EQ(sevens(set, wait + look), seeds);
}

/// A block, or a warp, that stands still.
class StalledBlocks : public ::testing::TestWithParam<CheckLevel> {
 protected:
  /// In how many of 24 schedules, or of the one that is given, all of `blocks` blocks know their number from
  /// those before, by looking back at most at `most` of them.
  std::uint64_t correct(std::uint32_t blocks, int most, std::uint64_t only = 0) {
    const std::string text =
        "    atom.global.add.u32 %r2, [%rd1], 1;\n    mul.wide.u32 %rd7, %r2, 4;\n    add.s64 %rd8, %rd1, "
        "%rd7;\n"
        "    setp.eq.u32 %p1, %r2, 0;\n    selp.u32 %r3, 131073, 65537, %p1;\n"
        "    atom.global.exch.b32 %r4, [%rd8+4], %r3;\n    mov.u32 %r5, 0;\n    add.s32 %r6, %r2, -1;\n"
        "    sub.s32 %r7, %r2, " +
        std::to_string(most) +
        ";\n  LOOP:\n    setp.lt.s32 %p2, %r6, 0;\n    @%p2 bra DONE;\n    setp.lt.s32 %p3, %r6, %r7;\n"
        "    @%p3 bra DONE;\n    mul.wide.s32 %rd9, %r6, 4;\n    add.s64 %rd10, %rd1, %rd9;\n"
        "    atom.global.add.u32 %r8, [%rd10+4], 0;\n    shr.u32 %r9, %r8, 16;\n"
        "    setp.eq.u32 %p4, %r9, 0;\n    @%p4 bra LOOP;\n    and.b32 %r10, %r8, 65535;\n"
        "    add.u32 %r5, %r5, %r10;\n    setp.eq.u32 %p5, %r9, 2;\n    @%p5 bra DONE;\n"
        "    add.s32 %r6, %r6, -1;\n    bra LOOP;\n  DONE:\n    add.u32 %r11, %r5, 1;\n"
        "    or.b32 %r12, %r11, 131072;\n    atom.global.exch.b32 %r4, [%rd8+4], %r12;\n"
        "    add.s64 %rd11, %rd2, %rd7;\n    st.global.u32 [%rd11], %r11;\n";
    std::vector<std::uint32_t> expected(blocks);
    for (std::uint32_t block = 0; block < blocks; ++block) expected[block] = block + 1;
    std::uint64_t count = 0;
    for (std::uint64_t seed = 1; seed <= (only == 0 ? 24 : 1); ++seed) {
      Rig rig(warp::kernel(text), "k");
      rig.options.checks = GetParam();
      rig.options.schedule_seed = only == 0 ? seed : only;
      const auto out = rig.empty<std::uint32_t>("out", blocks);
      const auto done =
          rig.launch({{blocks, 1, 1}, {1, 1, 1}, 0},
                     {pointer(rig.buffer("data", std::vector<std::uint32_t>(64, 0))), pointer(out)});
      EXPECT_TRUE(done) << done.error().evidence.front().message;
      if (!done) break;
      count += rig.contents<std::uint32_t>(out, blocks) == expected ? 1 : 0;
    }
    return count;
  }
};

TEST_P(StalledBlocks, AllOthersComeAsFarAsTheyCan) {
  EXPECT_EQ(correct(40, 64), 24U);
  EXPECT_LT(correct(40, 32), 24U);
}

TEST_P(StalledBlocks, WhereAllStopTheLastLooksBackAtAllOthers) {
  // A ticket, what each has alone, and then they look back.
  const std::uint64_t all_stop = evaluators::devices::schedule_where_all_stop(3);
  EXPECT_EQ(correct(40, 39, all_stop), 1U);
  EXPECT_EQ(correct(40, 38, all_stop), 0U);
  EXPECT_EQ(correct(40, 2, evaluators::devices::schedule_where_all_stop(1000)), 1U) << "nobody comes so far";
}

TEST_P(StalledBlocks, ASlowOneFailsMoreThanOnce) {
  // Each block adds 1 by compare-and-swap, and gives up after `most` failures.
  const auto sums = [&](int most) {
    const std::string text =
        "    atom.global.add.u32 %r3, [%rd1], 0;\n    mov.u32 %r4, 0;\n  LOOP:\n    add.u32 %r5, %r3, 1;\n"
        "    atom.global.cas.b32 %r6, [%rd1], %r3, %r5;\n    setp.eq.u32 %p1, %r6, %r3;\n    @%p1 bra DONE;\n"
        "    mov.u32 %r3, %r6;\n    add.u32 %r4, %r4, 1;\n    setp.lt.s32 %p2, %r4, " +
        std::to_string(most) + ";\n    @%p2 bra LOOP;\n  DONE:\n";
    std::uint64_t whole = 0;
    for (std::uint64_t seed = 1; seed <= 24; ++seed) {
      Rig rig(warp::kernel(text), "k");
      rig.options.checks = GetParam();
      rig.options.schedule_seed = seed;
      const auto sum = rig.buffer("data", std::vector<std::uint32_t>(1, 0));
      const auto done = rig.launch({{40, 1, 1}, {1, 1, 1}, 0}, {pointer(sum), pointer(sum)});
      EXPECT_TRUE(done) << done.error().evidence.front().message;
      if (!done) break;
      whole += rig.contents<std::uint32_t>(sum, 1).front() == 40 ? 1 : 0;
    }
    return whole;
  };
  EXPECT_EQ(sums(1000), 24U);
  EXPECT_LT(sums(3), 24U);
}

TEST_P(StalledBlocks, WarpsChangePlacesBetweenAccessesOfSharedMemory) {
  const auto fours = [&](const std::string& update) {
    const std::string text =
        "    mov.u32 %r6, 0;\n    setp.ne.u32 %p1, %r1, 0;\n    @%p1 bra BEGUN;\n    st.shared.u32 [cell], "
        "%r6;\n"
        "  BEGUN:\n    bar.sync 0;\n    and.b32 %r2, %r1, 31;\n    setp.ne.u32 %p2, %r2, 0;\n"
        "    @%p2 bra MEET;\n" +
        update +
        "  MEET:\n    bar.sync 0;\n    ld.shared.u32 %r7, [cell];\n    @%p1 bra END;\n"
        "    st.global.u32 [%rd2], %r7;\n  END:\n";
    std::uint64_t count = 0;
    for (std::uint64_t seed = 1; seed <= 24; ++seed) {
      Rig rig(warp::kernel(text, ".shared .align 4 .b32 cell;"), "k");
      rig.options.checks = GetParam();
      rig.options.schedule_seed = seed;
      const auto out = rig.empty<std::uint32_t>("out", 1);
      const auto done = rig.launch({{1, 1, 1}, {128, 1, 1}, 0}, {pointer(out), pointer(out)});
      EXPECT_TRUE(done) << done.error().evidence.front().message;
      if (!done) break;
      count += rig.contents<std::uint32_t>(out, 1).front() == 4 ? 1 : 0;
    }
    return count;
  };
  const std::string add = "    atom.shared.add.u32 %r3, [cell], 1;\n";
  const std::string lost =
      "    atom.shared.add.u32 %r3, [cell], 0;\n    add.u32 %r4, %r3, 1;\n"
      "    atom.shared.exch.b32 %r5, [cell], %r4;\n";
  EXPECT_EQ(fours(add), 24U);
  EXPECT_LT(fours(lost), 24U);
}

INSTANTIATE_TEST_SUITE_P(Machines, BetweenBlocks, ::testing::Values(CheckLevel::none, CheckLevel::exact),
                         [](const auto& of) {
                           return std::string(of.param == CheckLevel::none ? "warp" : "exact");
                         });
INSTANTIATE_TEST_SUITE_P(Machines, FencesOfThreads, ::testing::Values(CheckLevel::none, CheckLevel::exact),
                         [](const auto& of) {
                           return std::string(of.param == CheckLevel::none ? "warp" : "exact");
                         });
INSTANTIATE_TEST_SUITE_P(Machines, StalledBlocks, ::testing::Values(CheckLevel::none, CheckLevel::exact),
                         [](const auto& of) {
                           return std::string(of.param == CheckLevel::none ? "warp" : "exact");
                         });

}  // namespace
}  // namespace evo::tests
