// What one block tells another in permuted launches: a block may lose its turn in front of each strong
// access, and others see a strong store late that no fence puts in order. Both machines.
#include <gtest/gtest.h>

#include <string>
#include <vector>

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

INSTANTIATE_TEST_SUITE_P(Machines, BetweenBlocks, ::testing::Values(CheckLevel::none, CheckLevel::exact),
                         [](const auto& of) {
                           return std::string(of.param == CheckLevel::none ? "warp" : "exact");
                         });

}  // namespace
}  // namespace evo::tests
