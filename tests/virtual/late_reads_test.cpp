// Loads of shared memory that may be under way when a bulk copy overwrites it: told where a warp says that it
// is done before it has used what it loads, and only there.
#include <gtest/gtest.h>

#include <numeric>
#include <utility>

#include "tests/virtual/rig.hpp"

namespace evo::tests {
namespace {

using evaluators::devices::CheckLevel;
using model::Evidence;

constexpr int lanes_of_ring = 128;

class LateReads : public testing::TestWithParam<std::uint64_t> {
 protected:
  static evaluators::devices::Outcome<std::vector<float>> run(const std::string& kernel, int tiles) {
    Rig rig("late_reads.ptx", kernel);
    rig.options.checks = CheckLevel::exact;
    rig.options.schedule_seed = GetParam();
    rig.options.instruction_budget = 2'000'000;
    std::vector<float> in(static_cast<std::size_t>(tiles * lanes_of_ring));
    std::iota(in.begin(), in.end(), 1.0F);
    const auto out = rig.empty<float>("out", lanes_of_ring);
    const Rig::Arguments arguments{pointer(rig.buffer("in", in)), pointer(out), scalar(tiles)};
    const auto done = rig.launch({{1, 1, 1}, {lanes_of_ring, 1, 1}, 0}, arguments);
    if (!done) return tl::unexpected(done.error());
    return rig.contents<float>(out, lanes_of_ring);
  }
};

TEST_P(LateReads, WhoHasUsedTheValuesOrFencesMayTellThatItIsDone) {
  for (const char* kernel :
       {"used_first", "used_first_matrix", "fenced_first", "fenced_first_matrix", "behind_barrier",
        "behind_barrier_matrix", "behind_membar", "met_first", "met_first_matrix", "another_first",
        "nobody_uses", "apart_each", "apart_odd_together", "apart_in_order"}) {
    for (const int tiles : {1, 2, 3, 6}) {
      const auto sums = run(kernel, tiles);
      ASSERT_TRUE(sums) << kernel << ", " << tiles << ": " << sums.error().evidence.front().message;
      for (int t = 0; t < lanes_of_ring; ++t) {
        const int sum = tiles * (t + 1) + lanes_of_ring * tiles * (tiles - 1) / 2;
        ASSERT_EQ((*sums)[static_cast<std::size_t>(t)], static_cast<float>(sum)) << kernel << ", " << t;
      }
    }
  }
}

TEST_P(LateReads, WhoTellsItBeforeIsFoundAtTheLoad) {
  for (const std::string kernel :
       {"told_late", "told_late_matrix", "each_tells_late", "moved_late", "moved_late_matrix"}) {
    const auto result = run(kernel, 3);
    ASSERT_FALSE(result) << kernel;
    EXPECT_EQ(result.error().reason, "proxy_fence") << kernel << result.error().evidence.front().message;
    const std::string mark = kernel.ends_with("matrix") ? "matrix" : "load";
    EXPECT_EQ(result.error().evidence.front().line, marked_line("late_reads.cu", mark)) << kernel;
    EXPECT_TRUE(run(kernel, 2)) << kernel << ": nothing is overwritten";
  }
}

TEST_P(LateReads, LanesThatLoadApartAreToldApart) {
  for (const auto& [kernel, mark] : {std::pair{"apart_late", "odd"}, {"apart_together_late", "next"}}) {
    const auto result = run(kernel, 3);
    ASSERT_FALSE(result) << kernel;
    EXPECT_EQ(result.error().reason, "proxy_fence") << kernel << result.error().evidence.front().message;
    EXPECT_EQ(result.error().evidence.front().line, marked_line("late_reads.cu", mark)) << kernel;
    EXPECT_TRUE(run(kernel, 2)) << kernel << ": nothing is overwritten";
  }
}

INSTANTIATE_TEST_SUITE_P(Schedules, LateReads, testing::Values(0, 1, 2, 3, 4, 5));

}  // namespace
}  // namespace evo::tests
