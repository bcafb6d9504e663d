// mbarriers on the device, as cuda::barrier, cuda::pipeline and raw PTX use them: correct kernels pass and
// give correct values in several schedules, each mistake is found with its kind and line.
#include <gtest/gtest.h>

#include <numeric>

#include "tests/virtual/rig.hpp"

namespace evo::tests {
namespace {

using evaluators::devices::CheckLevel;
using model::Evidence;
using model::Failure;
using model::Status;

constexpr int threads_of_block = 128;
constexpr const char* mbarrier_fixture = "mbarrier.ptx";

class Mbarriers : public testing::TestWithParam<std::tuple<CheckLevel, std::uint64_t>> {
 protected:
  static std::vector<float> input(int tiles) {
    std::vector<float> values(static_cast<std::size_t>(tiles * threads_of_block));
    std::iota(values.begin(), values.end(), 1.0F);
    return values;
  }
  /// out[t] = sum over tiles of in[tile][127 - t].
  static std::vector<float> expected(int tiles) {
    const std::vector<float> in = input(tiles);
    std::vector<float> sums(threads_of_block);
    for (int i = 0; i < tiles; ++i) {
      for (int t = 0; t < threads_of_block; ++t)
        sums[static_cast<std::size_t>(t)] +=
            in[static_cast<std::size_t>(i * threads_of_block + threads_of_block - 1 - t)];
    }
    return sums;
  }
  evaluators::devices::Outcome<std::vector<float>> run(const std::string& kernel, int tiles) {
    Rig rig(mbarrier_fixture, kernel);
    std::tie(rig.options.checks, rig.options.schedule_seed) = GetParam();
    const auto out = rig.empty<float>("out", threads_of_block);
    const Rig::Arguments arguments{pointer(rig.buffer("in", input(tiles))), pointer(out), scalar(tiles)};
    const auto done = rig.launch({{1, 1, 1}, {threads_of_block, 1, 1}, 0}, arguments);
    if (!done) return tl::unexpected(done.error());
    return rig.contents<float>(out, threads_of_block);
  }
  [[nodiscard]] static bool checked() { return std::get<0>(GetParam()) != CheckLevel::none; }
  Failure wrong(const std::string& kernel, int tiles = 6) {
    const auto result = run(kernel, tiles);
    EXPECT_FALSE(result) << kernel << ": the fault was not found";
    return result ? Failure{Status::proven, "", {Evidence{}}} : result.error();
  }
  /// Some finding of the kind is at one of the marked lines.
  static void expect(const Failure& failure, const std::string& kind, const std::string& mark) {
    const int line = marked_line("mbarrier.cu", mark);
    bool found = false;
    std::string seen;
    for (const Evidence& evidence : failure.evidence) {
      seen += evidence.kind + ": " + evidence.message + "\n";
      found |= evidence.kind == kind &&
               (evidence.line == line ||
                evidence.message.find("line " + std::to_string(line)) != std::string::npos);
    }
    EXPECT_TRUE(found) << kind << " at " << line << "; found " << seen;
  }
};

TEST_P(Mbarriers, RightKernelsGiveRightValues) {
  for (const char* kernel : {"barrier_token", "pipeline_roles", "ring_right", "copies_right"}) {
    for (const int tiles : {1, 2, 3, 6}) {
      const auto result = run(kernel, tiles);
      ASSERT_TRUE(result) << kernel << ": " << result.error().evidence.front().message;
      EXPECT_EQ(*result, expected(tiles)) << kernel << ", " << tiles;
    }
  }
}

TEST_P(Mbarriers, ThreadsThatDropOutAreNotWaitedFor) {
  const auto result = run("drops", 4);
  ASSERT_TRUE(result) << result.error().evidence.front().message;
  std::vector<float> sums = expected(4);
  const std::vector<float> first = expected(1);
  std::copy(first.begin() + 64, first.end(), sums.begin() + 64);
  EXPECT_EQ(*result, sums);
}

TEST_P(Mbarriers, StatesTellWhatIsPending) {
  const auto result = run("counts_of_states", 7);
  ASSERT_TRUE(result) << result.error().evidence.front().message;
  EXPECT_EQ(*result, input(1));
}

TEST_P(Mbarriers, WhoDoesNotWaitReadsTooEarly) {
  if (!checked()) GTEST_SKIP() << "no findings without checks";
  const Failure failure = wrong("ring_full_not_waited");
  EXPECT_TRUE(failure.reason == "race_shared" || failure.reason == "uninitialized") << failure.reason;
}

TEST_P(Mbarriers, RelaxedArrivalsPublishNothing) {
  if (!checked()) GTEST_SKIP() << "no races without checks";
  expect(wrong("ring_relaxed"), "race_shared", "take");
}

TEST_P(Mbarriers, CompleteBeforeAllHaveTakenRaces) {
  if (!checked()) GTEST_SKIP() << "no races without checks";
  const Failure failure = wrong("ring_too_few");
  // Phases pass twice as fast: the two sides overwrite each other's data, or miss each other.
  EXPECT_TRUE(failure.reason == "race_shared" || failure.reason == "hang") << failure.reason;
}

TEST_P(Mbarriers, PhasesThatNobodyCompletesHang) {
  const Failure failure = wrong("ring_never_empty");
  EXPECT_EQ(failure.status, Status::timeout);
  EXPECT_EQ(failure.reason, "hang");
}

TEST_P(Mbarriers, CopiesLandWhenTheBarrierSaysSo) {
  if (!checked()) GTEST_SKIP() << "no races without checks";
  const Failure failure = wrong("copies_not_waited");
  EXPECT_TRUE(failure.reason == "async_not_waited" || failure.reason == "race_shared") << failure.reason;
}

TEST_P(Mbarriers, ObjectsAreMadeFirstAndUsedAsTheyAre) {
  if (!checked()) GTEST_SKIP() << "no findings without checks";
  expect(wrong("not_initialised"), "barrier_divergence", "no init");
  expect(wrong("too_many_arrive"), "barrier_divergence", "too many");
  expect(wrong("bad_count", 3), "barrier_divergence", "bad count");
  expect(wrong("overwritten"), "barrier_divergence", "after store");
  expect(wrong("used_after_inval"), "barrier_divergence", "after inval");
}

TEST_P(Mbarriers, InitIsOrderedBeforeUses) {
  if (!checked()) GTEST_SKIP() << "no races without checks";
  const Failure failure = wrong("init_not_ordered");
  EXPECT_TRUE(failure.reason == "race_shared" || failure.reason == "barrier_divergence") << failure.reason;
}

INSTANTIATE_TEST_SUITE_P(Schedules, Mbarriers,
                         testing::Combine(testing::Values(CheckLevel::none, CheckLevel::filtered,
                                                          CheckLevel::exact),
                                          testing::Values(0, 1, 7)));

}  // namespace
}  // namespace evo::tests
