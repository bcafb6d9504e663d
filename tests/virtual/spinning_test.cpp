// Locks that each thread takes: those who wait for one spend little, and none of them is kept out for good.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/virtual/rig.hpp"
#include "tests/warp/text.hpp"

namespace evo::tests {
namespace {

using evaluators::devices::CheckLevel;

class Spinning : public ::testing::TestWithParam<CheckLevel> {
 protected:
  struct Done {
    bool ended = false;
    std::uint32_t sum = 0;
    std::uint64_t instructions = 0;
  };
  /// `text` by many blocks of 64 threads, with zeros at %rd1; the word at byte 128 is the sum.
  Done run(const std::string& text, std::uint32_t blocks, std::uint64_t seed,
           std::uint64_t budget = std::uint64_t{1} << 40) {
    Rig rig(warp::kernel(text), "k");
    rig.options.checks = GetParam();
    rig.options.schedule_seed = seed;
    rig.options.instruction_budget = budget;
    const auto data = rig.buffer("data", std::vector<std::uint32_t>(64, 0));
    const auto done = rig.launch({{blocks, 1, 1}, {64, 1, 1}, 0}, {pointer(data), pointer(data)});
    if (!done) return {};
    return {true, rig.contents<std::uint32_t>(data, 64)[32], done->thread_instructions};
  }
  /// The exact machine takes a hundred times as long: it gets a quarter of the blocks. Polls are as many as
  /// the square of them.
  static constexpr std::uint32_t share = 4;
  [[nodiscard]] static bool exact() { return GetParam() == CheckLevel::exact; }
  [[nodiscard]] static std::uint32_t few(std::uint32_t blocks) { return exact() ? blocks / share : blocks; }
  [[nodiscard]] static std::uint64_t most(std::uint64_t instructions) {
    return exact() ? instructions / (share * share) : instructions;
  }
};

/// Adds 1 under a lock at %rd1.
const std::string locked =
    "  LOOP:\n    atom.global.cas.b32 %r3, [%rd1], 0, 1;\n    setp.ne.u32 %p1, %r3, 0;\n    @%p1 bra LOOP;\n"
    "    membar.gl;\n    ld.volatile.global.u32 %r4, [%rd1+128];\n    add.u32 %r4, %r4, 1;\n"
    "    st.volatile.global.u32 [%rd1+128], %r4;\n    membar.gl;\n    atom.global.exch.b32 %r3, [%rd1], 0;\n";

TEST_P(Spinning, ALockThatEachThreadTakes) {
  const std::uint32_t blocks = few(64);
  for (const std::uint64_t seed : {0, 1, 2}) {
    const Done done = run(locked, blocks, seed);
    EXPECT_TRUE(done.ended);
    EXPECT_EQ(done.sum, blocks * 64);
    // Each of the 4096 threads has the lock once; were all others to poll meanwhile it would be 10^9.
    EXPECT_LT(done.instructions, most(40'000'000)) << "seed " << seed;
  }
}

TEST_P(Spinning, WhoGivesUpAfterSomeTriesStillDoes) {
  // The lock is never free: all wait for long, and then go on.
  const std::string text =
      "    atom.global.exch.b32 %r3, [%rd1], 1;\n    mov.u32 %r5, 0;\n  LOOP:\n"
      "    atom.global.cas.b32 %r3, [%rd1], 0, 1;\n    setp.eq.u32 %p1, %r3, 0;\n    @%p1 bra DONE;\n"
      "    add.u32 %r5, %r5, 1;\n    setp.lt.u32 %p2, %r5, 300;\n    @%p2 bra LOOP;\n  DONE:\n"
      "    red.global.add.u32 [%rd1+128], %r5;\n";
  for (const std::uint64_t seed : {0, 1}) {
    const Done done = run(text, 16, seed);
    EXPECT_TRUE(done.ended);
    EXPECT_EQ(done.sum, 16 * 64 * 300U);
  }
}

TEST_P(Spinning, ALockThatOneKeepsIsAHang) {
  const std::string text =
      "  LOOP:\n    atom.global.cas.b32 %r3, [%rd1], 0, 1;\n    setp.ne.u32 %p1, %r3, 0;\n"
      "    @%p1 bra LOOP;\n";
  // The exact machine is only asked what others have spent a budget on.
  const unsigned bits = GetParam() == CheckLevel::none ? 60 : 22;
  EXPECT_FALSE(run(text, 64, 1, std::uint64_t{1} << bits).ended);
}

TEST_P(Spinning, AWaitOfOneThreadOfABlockThatNobodyEndsIsAHang) {
  const std::string text =
      "    mov.u32 %r6, %tid.x;\n    setp.ne.u32 %p2, %r6, 0;\n    @%p2 bra DONE;\n  LOOP:\n"
      "    ld.volatile.global.u32 %r3, [%rd1];\n    setp.eq.u32 %p1, %r3, 0;\n    @%p1 bra LOOP;\n  DONE:\n"
      "    bar.sync 0;\n";
  // The turns that it lets pass count, too: else it would take an hour to spend so much.
  EXPECT_FALSE(run(text, few(16), 1, most(std::uint64_t{1} << 30)).ended);
}

TEST_P(Spinning, ATicketIsWaitedForByEachThread) {
  const std::string text =
      "    atom.global.add.u32 %r5, [%rd1], 1;\n  LOOP:\n    ld.volatile.global.u32 %r3, [%rd1+64];\n"
      "    setp.ne.u32 %p1, %r3, %r5;\n    @%p1 bra LOOP;\n    membar.gl;\n"
      "    ld.volatile.global.u32 %r4, [%rd1+128];\n    add.u32 %r4, %r4, 1;\n"
      "    st.volatile.global.u32 [%rd1+128], %r4;\n    membar.gl;\n    add.u32 %r5, %r5, 1;\n"
      "    st.volatile.global.u32 [%rd1+64], %r5;\n";
  for (const std::uint64_t seed : {0, 1, 2}) {
    const std::uint32_t blocks = few(32);
    const Done done = run(text, blocks, seed);
    EXPECT_TRUE(done.ended);
    EXPECT_EQ(done.sum, blocks * 64);
    EXPECT_LT(done.instructions, most(40'000'000)) << "seed " << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(Machines, Spinning, ::testing::Values(CheckLevel::none, CheckLevel::exact),
                         [](const auto& of) {
                           return std::string(of.param == CheckLevel::none ? "warp" : "exact");
                         });

}  // namespace
}  // namespace evo::tests
