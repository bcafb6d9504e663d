// Pairs on a fake device whose clock is a script.
#include "evaluators/benchmark/in_pairs.hpp"

#include <cmath>
#include <map>

#include <gtest/gtest.h>

#include "evaluators/oracle/input_sets.hpp"
#include "model/random.hpp"
#include "tests/support/cases.hpp"
#include "tests/support/fake_device.hpp"
#include "tests/support/known.hpp"

namespace evo::evaluators::benchmark {
namespace {

using measure::RatioInterval;

struct InPairs : ::testing::Test {
  InPairs() {
    kernels[0].artifact.cubin = "first";
    kernels[1].artifact.cubin = "second";
    for (PairKernel& kernel : kernels) kernel.cases = {tests::vector_add_case(64)};
    inputs.push_back(
        oracle::make_inputs(tests::known(), kernels[0].cases[0], {"normal", "normal", {}}, {.seed = 3})
            .value());
    settings.kernel = tests::correct_kernel();
    settings.kernel_of_cubin["first"] = ran(0);
    settings.kernel_of_cubin["second"] = ran(1);
    settings.clock = [this] {
      turns.push_back(current);
      return std::vector<double>(2, us[current] * (1 + noise * stream.normal()));
    };
    protocol.l2_bytes = 1 << 14;
    protocol.pause = std::chrono::milliseconds(0);
    protocol.plan = {0.01, {4, 8, 16}};
  }
  tests::FakeKernel ran(std::size_t side) {
    return [this, side](tests::FakeLaunch& launch) -> devices::Outcome<devices::LaunchReport> {
      current = side;
      tests::vector_add(launch);
      if (side == wrong_side) launch.pointer<float>(2)[3] += 1;
      return devices::LaunchReport{};
    };
  }
  PairOutcome<std::vector<PairedCase>> measure(const Enough& enough) {
    tests::FakeDevice device(settings);
    auto timed = time_in_pairs(
        device, kernels[0], kernels[1], inputs, protocol,
        [this](std::size_t, const Outputs& outputs) {
          ++judged;
          float a = 0, b = 0, c = 0;
          std::memcpy(&a, inputs[0][0].data() + 12, 4);
          std::memcpy(&b, inputs[0][1].data() + 12, 4);
          std::memcpy(&c, outputs[0].data() + 12, 4);
          return c == a + b ? std::string() : std::string("c[3]");
        },
        enough);
    if (!timed) return tl::make_unexpected(timed.error());
    clocks = timed->clocks;
    return std::move(timed->cases);
  }
  std::array<PairKernel, 2> kernels;
  std::vector<oracle::InputBuffers> inputs;
  tests::FakeDeviceSettings settings;
  PairsProtocol protocol;
  std::array<double, 2> us{10, 11};
  double noise = 0.01;
  std::size_t current = 0, wrong_side = 2;
  std::vector<std::size_t> turns;
  int judged = 0;
  model::HeldClocks clocks;
  model::RandomStream stream{{.seed = 11, .generation = 0, .slot = 0, .purpose = "clock"}};
};

TEST_F(InPairs, FindsTheRatioAndEndsWhenItIsEnough) {
  const auto found = measure([](const RatioInterval& ratio) { return ratio.interval[0] > 1; });
  ASSERT_TRUE(found);
  const PairedCase& one = found->front();
  EXPECT_TRUE(one.settled);
  EXPECT_LT(one.ratio.interval[0], 1.1);
  EXPECT_GT(one.ratio.interval[1], 1.1);
  EXPECT_LT(one.load_logs.size(), 16U) << "it did not go on for nothing";
  EXPECT_EQ(one.first_us.size(), 4 * one.load_logs.size());
  EXPECT_EQ(one.second_us.size(), one.first_us.size());
}

TEST_F(InPairs, GoesOnToTheLastLookWhereNothingIsEnough) {
  const auto found = measure([](const RatioInterval&) { return false; });
  ASSERT_TRUE(found);
  EXPECT_FALSE(found->front().settled);
  EXPECT_EQ(found->front().load_logs.size(), 16U);
}

// While the GPU is hot it takes twice as long, and the second kernel half as long again.
TEST_F(InPairs, LoadsInWhichTheDeviceSlowedItselfDownAreNoSamples) {
  noise = 0;
  int looks = 0;
  bool hot = false;
  settings.held = [&]() -> std::optional<std::string> {
    hot = ++looks % 4 == 1;  // from the first look of every second load on
    return hot ? "hardware thermal slowdown" : "";
  };
  settings.clock = [&] {
    return std::vector<double>(2, us[current] * (hot ? 2 + static_cast<double>(current) : 1));
  };
  const auto found = measure([](const RatioInterval&) { return false; });
  ASSERT_TRUE(found);
  EXPECT_EQ(found->front().load_logs.size(), 16U);
  EXPECT_NEAR(found->front().ratio.ratio, 1.1, 1e-12) << "of cool loads alone";
  EXPECT_EQ(found->front().first_us, std::vector<double>(64, 10));
  EXPECT_EQ(clocks, (model::HeldClocks{true, 16, 0, {"hardware thermal slowdown"}}));
}

TEST_F(InPairs, WhatStaysHotIsKeptOnceEnoughWasThrownAway) {
  protocol.most_discarded = 3;
  settings.held = [] { return "thermal slowdown, power cap"; };
  const auto found = measure([](const RatioInterval&) { return false; });
  ASSERT_TRUE(found);
  EXPECT_EQ(found->front().load_logs.size(), 16U);
  EXPECT_EQ(clocks, (model::HeldClocks{true, 3, 16, {"thermal slowdown", "power cap"}}));
}

TEST_F(InPairs, APowerCapIsKeptAndWhereNobodyTellsNothingIs) {
  settings.held = [] { return "power cap"; };
  ASSERT_TRUE(measure([](const RatioInterval&) { return false; }));
  EXPECT_EQ(clocks, (model::HeldClocks{true, 0, 16, {"power cap"}}));
  settings.held = {};
  ASSERT_TRUE(measure([](const RatioInterval&) { return false; }));
  EXPECT_EQ(clocks, model::HeldClocks{});
}

TEST_F(InPairs, EachBeginsHalfOfThePairsInAnOrderThatIsDrawn) {
  ASSERT_TRUE(measure([](const RatioInterval&) { return false; }));
  ASSERT_EQ(turns.size(), 1U + 2 * 64) << "a pilot and 64 pairs";
  int first_begins = 0, alternations = 0;
  for (std::size_t pair = 0; pair < 64; ++pair) {
    EXPECT_NE(turns[1 + 2 * pair], turns[2 + 2 * pair]) << "one turn each";
    first_begins += turns[1 + 2 * pair] == 0 ? 1 : 0;
    if (pair > 0 && turns[1 + 2 * pair] != turns[2 * pair - 1]) ++alternations;
  }
  EXPECT_EQ(first_begins, 32);
  EXPECT_LT(alternations, 63) << "not simply one after the other";
}

TEST_F(InPairs, BothModulesAreLoadedAfreshForEveryLoad) {
  ASSERT_TRUE(measure([](const RatioInterval&) { return false; }));
  EXPECT_EQ(settings.log->loads, 2 * (16 + 2)) << "16 loads, and the outputs before and after";
  EXPECT_EQ(settings.log->unloads, settings.log->loads);
  std::map<std::string, int> begins;
  for (std::size_t i = 0; i < settings.log->loaded.size(); i += 2) ++begins[settings.log->loaded[i]];
  EXPECT_EQ(begins.size(), 2U) << "now the one first, now the other";
  EXPECT_EQ(settings.log->live_buffers, 0);
}

TEST_F(InPairs, AWrongOutputIsRefusedWithItsSide) {
  wrong_side = 1;
  const auto found = measure([](const RatioInterval&) { return true; });
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().side, 1U);
  EXPECT_NE(found.error().reason.find("c[3]"), std::string::npos);
  EXPECT_TRUE(turns.empty()) << "nothing that is wrong is timed";
}

TEST_F(InPairs, OutputsAreJudgedAgainAfterTheLastPair) {
  int asked = 0;
  const auto found = measure([&](const RatioInterval&) {
    if (++asked == 1) wrong_side = 0;  // from now on
    return true;
  });
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().side, 0U);
}

TEST_F(InPairs, AClockThatStandsStillIsNoTime) {
  us = {0, 1};
  const auto found = measure([](const RatioInterval&) { return true; });
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().side, 0U);
}

TEST_F(InPairs, ALoadThatIsSlowForBothIsNoDifference) {
  us = {10, 10};
  noise = 0.001;
  const auto plain = settings.clock;
  settings.clock = [this, plain] {
    std::vector<double> samples = plain();
    for (double& value : samples)
      value *= 1 + 0.2 * (static_cast<int>(turns.size()) / 8 % 2);  // clocks change
    return samples;
  };
  const auto found = measure([](const RatioInterval&) { return false; });
  ASSERT_TRUE(found);
  EXPECT_LT(found->front().ratio.interval[0], 1);
  EXPECT_GT(found->front().ratio.interval[1], 1);
}

TEST_F(InPairs, CasesThatDoNotFitAreAMistakeOfTheCaller) {
  kernels[1].cases.clear();
  EXPECT_THROW(static_cast<void>(measure([](const RatioInterval&) { return true; })), std::logic_error);
}

}  // namespace
}  // namespace evo::evaluators::benchmark
