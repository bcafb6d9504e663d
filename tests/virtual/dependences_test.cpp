// A write behind a read that its value depends on, by way of shuffles, is no race; anything less is one.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/virtual/rig.hpp"
#include "tests/warp/text.hpp"

namespace evo::tests {
namespace {

using evaluators::devices::CheckLevel;

/// Empty, or why one block of 32 threads is refused. All have stored their part and met; then `text` runs,
/// %rd5 being where the own part stands (cells + 4 * lane).
std::string reason(const std::string& text) {
  const std::string begin =
      "    mov.u64 %rd5, cells;\n    mul.wide.u32 %rd6, %r1, 4;\n    add.s64 %rd5, %rd5, %rd6;\n"
      "    st.shared.u32 [%rd5], %r1;\n    bar.sync 0;\n";
  const std::string end =
      "    bar.sync 0;\n    ld.shared.u32 %r9, [cells];\n    st.global.u32 [%rd3], %r9;\n";
  Rig rig(warp::kernel("    mul.wide.u32 %rd4, %r1, 4;\n    add.s64 %rd3, %rd2, %rd4;\n" + begin + text + end,
                       ".shared .align 4 .b32 cells[32];"),
          "k");
  rig.options.checks = CheckLevel::filtered;
  const auto out = rig.empty<std::uint32_t>("out", 32);
  const auto done = rig.launch({{1, 1, 1}, {32, 1, 1}, 0}, {pointer(out), pointer(out)});
  return done ? "" : done.error().reason;
}

const std::string read = "    ld.shared.u32 %r2, [%rd5];\n";
const std::string all_store = "    st.shared.u32 [cells], %r2;\n";

std::string exchange(int distance) {
  return "    shfl.sync.bfly.b32 %r3, %r2, " + std::to_string(distance) +
         ", 31, -1;\n    add.u32 %r2, %r2, %r3;\n";
}

TEST(Dependences, ASumOfAllLanesMayReplaceAPartOfIt) {
  EXPECT_EQ(reason(read + exchange(16) + exchange(8) + exchange(4) + exchange(2) + exchange(1) + all_store),
            "");
}

TEST(Dependences, OneLaneThatDoesNotDependOnTheReadMayBeAheadOfIt) {
  // The sum of half of the lanes: 16 to 31 know nothing of what lane 0 has read.
  EXPECT_EQ(reason(read + exchange(8) + exchange(4) + exchange(2) + exchange(1) +
                   "    setp.eq.u32 %p1, %r1, 16;\n    @%p1 st.shared.u32 [cells], %r2;\n"),
            "race_shared");
}

TEST(Dependences, AShuffleWhoseValueIsNotStoredOrdersNothing) {
  EXPECT_EQ(reason(read + exchange(16) + exchange(8) + exchange(4) + exchange(2) + exchange(1) +
                   "    setp.eq.u32 %p1, %r1, 5;\n    @%p1 st.shared.u32 [cells], %r1;\n"),
            "race_shared");
}

TEST(Dependences, AReadBehindTheShufflesIsNotOrdered) {
  EXPECT_EQ(reason(read + exchange(16) + exchange(8) + exchange(4) + exchange(2) + exchange(1) +
                   "    ld.shared.u32 %r4, [cells];\n    setp.eq.u32 %p1, %r1, 5;\n"
                   "    @%p1 st.shared.u32 [cells], %r2;\n"),
            "race_shared");
}

TEST(Dependences, ReadingTheResultStillNeedsABarrier) {
  const std::string sum = read + exchange(16) + exchange(8) + exchange(4) + exchange(2) + exchange(1);
  const std::string store = sum + "    setp.eq.u32 %p1, %r1, 5;\n    @%p1 st.shared.u32 [cells], %r2;\n";
  const std::string again = "    ld.shared.u32 %r4, [cells];\n    st.global.u32 [%rd3], %r4;\n";
  EXPECT_EQ(reason(store + again), "race_shared");
  EXPECT_EQ(reason(store + "    bar.warp.sync -1;\n" + again), "");
}

TEST(Dependences, WhoStoresTheSameWithoutHavingItFromThereIsStillAhead) {
  EXPECT_EQ(reason(read + exchange(16) + exchange(8) + exchange(4) + exchange(2) + exchange(1) +
                   "    setp.eq.u32 %p1, %r1, 16;\n    and.b32 %r2, %r2, 0;\n    @%p1 mov.u32 %r2, 0;\n" +
                   all_store),
            "race_shared");
}

TEST(Dependences, TwoWritesOfDifferentValuesAreARace) {
  EXPECT_EQ(reason(read + exchange(16) + exchange(8) + exchange(4) + exchange(2) + exchange(1) +
                   "    add.u32 %r2, %r2, %r1;\n" + all_store),
            "race_shared");
}

}  // namespace
}  // namespace evo::tests
