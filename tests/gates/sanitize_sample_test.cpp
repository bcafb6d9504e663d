// Heavy shapes of the sanitize gate run in some of their blocks, unless those need the others.
#include "evaluators/gates/sanitize_sample.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "evaluators/gates/sanitize.hpp"
#include "tests/support/cases.hpp"
#include "tests/support/fake_device.hpp"
#include "tests/support/known.hpp"

namespace evo::evaluators::gates {
namespace {

using Blocks = std::vector<std::uint64_t>;
using tests::FakeDevice;
using tests::FakeDeviceSettings;
using tests::FakeLaunch;

model::Case heavy(std::array<std::uint32_t, 3> grid, double flops = 2147483648.0) {
  model::Case shape = tests::vector_add_case(40, false, "heavy");
  shape.launch.grid = grid;
  shape.launch.block = {16, 16, 1};
  shape.flops = flops;
  return shape;
}

bool has(const Blocks& blocks, std::uint64_t block) {
  return std::binary_search(blocks.begin(), blocks.end(), block);
}

TEST(SanitizeSample, OfAHeavyLaunchTheEndsTheMiddleAndTheirNeighboursRun) {
  const Blocks blocks = blocks_to_sanitize(heavy({64, 32, 4}));
  EXPECT_TRUE(std::is_sorted(blocks.begin(), blocks.end()));
  EXPECT_EQ(std::adjacent_find(blocks.begin(), blocks.end()), blocks.end());
  EXPECT_LE(blocks.size(), 48U);
  const std::uint64_t last = 64 * 32 * 4 - 1, middle = 64 * 32 * 2;
  for (const std::uint64_t block :
       {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{64}, std::uint64_t{2048}, last, last - 1, last - 64,
        last - 2048, middle, middle + 1, middle + 64, middle + 2048})
    EXPECT_TRUE(has(blocks, block)) << block;
  EXPECT_LE(blocks.back(), last);
}

TEST(SanitizeSample, WhatItRunsIsAsMuchAsALightLaunchAndAFewBlocks) {
  for (const std::uint32_t side : {8U, 30U, 200U, 1000U}) {
    const Blocks blocks = blocks_to_sanitize(heavy({side, side, 1}, 1e12));
    EXPECT_FALSE(blocks.empty());
    const double of_a_block = 1e12 / (static_cast<double>(side) * side);
    EXPECT_TRUE(blocks.size() <= 9 || static_cast<double>(blocks.size()) * of_a_block <= 33554432) << side;
  }
  EXPECT_EQ(blocks_to_sanitize(heavy({4096, 1, 1}, 67108864)).size(), 48U);
}

TEST(SanitizeSample, LightSmallAndDependentLaunchesRunWhole) {
  EXPECT_TRUE(blocks_to_sanitize(heavy({64, 32, 1}, 1000000)).empty());
  EXPECT_TRUE(blocks_to_sanitize(heavy({3, 1, 1})).empty());
  EXPECT_TRUE(blocks_to_sanitize(heavy({3, 3, 1})).empty()) << "more than half of them";
  model::Case two = heavy({64, 32, 1});
  two.launch.then.emplace_back();
  EXPECT_TRUE(blocks_to_sanitize(two).empty());
  EXPECT_FALSE(blocks_to_sanitize(heavy({65536, 1, 1}, 1000000)).empty())
      << "many threads of little work each";
}

struct HeavyAnswers {
  bool independent = true, fails = false, unreached = false;
};

/// What the gate asks of the device for one heavy shape, and `others`; with `unreached` a path does not run
/// in any launch but those of whole shapes.
std::vector<Blocks> asked(const HeavyAnswers& answers, const SanitizeOptions& options = {},
                          const std::vector<model::Case>& others = {}) {
  FakeDeviceSettings settings;
  settings.info.kind = "virtual";
  const auto log = settings.log;
  settings.kernel = [&](FakeLaunch&) -> devices::Outcome<devices::LaunchReport> {
    if (answers.fails)
      return tl::make_unexpected(model::Failure{model::Status::sanitizer_fail, "race_shared", {}});
    devices::LaunchReport report;
    report.blocks_independent = answers.independent;
    if (answers.unreached && !log->options.back().blocks.empty())
      report.unexecuted = {{"unexecuted", "block at line 10", "k.cu", 10, {}}};
    return report;
  };
  FakeDevice device(settings);
  const SanitizeReport report =
      sanitize(device, {}, {heavy({64, 32, 1})}, others, {evo::tests::known(), {"normal", "normal", {}}},
               model::GateSettings(), {}, {}, options);
  EXPECT_EQ(report.failure.has_value(), answers.fails);
  EXPECT_EQ(report.blocks_share, !answers.independent && !answers.fails);
  std::vector<Blocks> blocks;
  for (const devices::LaunchOptions& one : log->options) blocks.push_back(one.blocks);
  return blocks;
}

TEST(SanitizeSample, IndependentBlocksSpeakForAll) {
  const auto launches = asked({});
  ASSERT_EQ(launches.size(), 1U);
  EXPECT_EQ(launches[0], blocks_to_sanitize(heavy({64, 32, 1})));
}

TEST(SanitizeSample, BlocksThatNeedOthersRunWithThem) {
  const auto launches = asked({.independent = false});
  ASSERT_EQ(launches.size(), 2U);
  EXPECT_FALSE(launches[0].empty());
  EXPECT_TRUE(launches[1].empty());
}

TEST(SanitizeSample, OfBaselinesAndChampionsAllRun) {
  const auto launches = asked({}, {.whole_launches = true});
  ASSERT_EQ(launches.size(), 1U);
  EXPECT_TRUE(launches[0].empty());
}

TEST(SanitizeSample, ALightShapeRunsWholeWhereNoOtherDoes) {
  const model::Case light = tests::vector_add_case(40, false, "light");
  const auto launches = asked({}, {}, {heavy({64, 32, 1}), light});
  ASSERT_EQ(launches.size(), 2U);
  EXPECT_FALSE(launches[0].empty());
  EXPECT_TRUE(launches[1].empty());
  EXPECT_EQ(asked({}, {}, {heavy({64, 32, 1})}).size(), 1U);
}

TEST(SanitizeSample, APathOfOtherBlocksIsNotCalledUnreached) {
  const auto launches = asked({.unreached = true});
  ASSERT_EQ(launches.size(), 2U);
  EXPECT_TRUE(launches[1].empty());
}

TEST(SanitizeSample, WhatTheyFindIsTheVerdict) {
  EXPECT_EQ(asked({.fails = true}).size(), 1U);
}

}  // namespace
}  // namespace evo::evaluators::gates
