// Kernels that wait for their whole grid: their launches are cooperative by themselves.
#include <gtest/gtest.h>

#include "tests/virtual/rig.hpp"

namespace evo::tests {
namespace {

using evaluators::devices::CheckLevel;
using model::Failure;
using model::Status;

constexpr unsigned grid_blocks = 6, block_threads = 64;
constexpr int grid_threads = grid_blocks * block_threads;

class Cooperative : public testing::TestWithParam<std::tuple<CheckLevel, std::uint64_t>> {
 protected:
  evaluators::devices::Outcome<std::vector<int>> run(const std::string& kernel, int rounds,
                                                     int launches = 1) {
    Rig rig("grid_sync.ptx", kernel);
    std::tie(rig.options.checks, rig.options.schedule_seed) = GetParam();
    // A hang is told when this is used up; what ends needs far less.
    rig.options.instruction_budget = 200'000;
    const auto all = rig.empty<int>("all", grid_threads), out = rig.empty<int>("out", grid_threads);
    for (int launch = 0; launch < launches; ++launch) {
      const auto done = rig.launch({{grid_blocks, 1, 1}, {block_threads, 1, 1}, 0},
                                   {pointer(all), pointer(out), scalar(rounds)});
      if (!done) return tl::unexpected(done.error());
    }
    return rig.contents<int>(out, grid_threads);
  }
  Failure wrong(const std::string& kernel) {
    const auto result = run(kernel, 3);
    EXPECT_FALSE(result) << kernel << ": the fault was not found";
    return result ? Failure{Status::proven, "", {model::Evidence{}}} : result.error();
  }
};

TEST_P(Cooperative, BlocksMeet) {
  const auto result = run("opposite", 3, 2);
  ASSERT_TRUE(result) << result.error().evidence.front().message;
  const auto split = run("split_meeting", 3);
  ASSERT_TRUE(split) << split.error().evidence.front().message;
  for (int i = 0; i < grid_threads; ++i) {
    EXPECT_EQ((*result)[static_cast<std::size_t>(i)], grid_threads - 1 - i + 2);
    EXPECT_EQ((*split)[static_cast<std::size_t>(i)], 4 * (grid_threads - 1 - i));
  }
}

TEST_P(Cooperative, WhoDoesNotComeIsWaitedForForEver) {
  const Failure failure = wrong("one_stays_away");
  EXPECT_EQ(failure.status, Status::timeout);
  EXPECT_EQ(failure.reason, "hang");
}

TEST_P(Cooperative, WhoWritesAgainWithoutASecondMeetingRaces) {
  if (std::get<0>(GetParam()) == CheckLevel::none) return;
  const Failure failure = wrong("meets_once");
  EXPECT_EQ(failure.status, Status::sanitizer_fail);
  EXPECT_EQ(failure.reason, "race_global");
}

INSTANTIATE_TEST_SUITE_P(Schedules, Cooperative,
                         testing::Combine(testing::Values(CheckLevel::none, CheckLevel::filtered,
                                                          CheckLevel::exact),
                                          testing::Values(0, 5)));

TEST(CooperativeLaunch, TheWholeGridFitsOrIsRefused) {
  model::TargetProfile target = small_target();
  target.sm_count = 2;
  target.max_warps_per_sm = 8;
  target.max_blocks_per_sm = 2;
  target.registers_per_sm = 65536;
  target.smem_per_sm = 100 * 1024;
  for (const std::uint32_t blocks : {4U, 5U}) {
    evaluators::devices::VirtualDevice device(target);
    model::Artifact artifact;
    artifact.ptx = fixture_text("grid_sync.ptx");
    artifact.entry = "opposite";
    artifact.resources.registers = 32;
    const auto module = device.load(artifact).value();
    const std::uint64_t bytes = std::uint64_t{blocks} * block_threads * 4;
    const auto all = device.allocate({bytes, 0, "all"}).value(),
               out = device.allocate({bytes, 0, "out"}).value();
    const auto done = device.launch(module, {{blocks, 1, 1}, {block_threads, 1, 1}, 0},
                                    std::vector{pointer(all), pointer(out), scalar(2)}, {});
    EXPECT_EQ(done.has_value(), blocks == 4);
    if (!done && blocks == 5) {
      EXPECT_EQ(done.error().status, Status::launch_error);
      EXPECT_EQ(done.error().reason, "cooperative_launch_too_large");
    }
  }
}

}  // namespace
}  // namespace evo::tests
