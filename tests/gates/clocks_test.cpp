// A GPU that slows itself down while it times, and what is kept of the samples.
#include <gtest/gtest.h>

#include <memory>

#include "evaluators/gates/paired.hpp"
#include "tests/gates/jobs.hpp"
#include "tests/support/known.hpp"

namespace evo::evaluators::gates {
namespace {

using tests::FakeDevice;
using tests::FakeDeviceSettings;

/// Alone or against a copy of itself.
DeviceJob job_of(bool compared) {
  DeviceJob job = tests::vector_add_job();
  job.most_discarded = 4;
  if (!compared) return job;
  job.opponent = Opponent{job.artifact, job.timed_cases, 0.0005};
  job.settings.paired_rounds = 8;
  return job;
}

/// Its clocks are held down until `looks` times was looked. A turn takes as many microseconds as turns were
/// before, so that samples say when they were taken.
FakeDeviceSettings held_down(const std::string& why, int looks) {
  FakeDeviceSettings settings;
  settings.kernel = tests::correct_kernel();
  auto left = std::make_shared<int>(looks), turns = std::make_shared<int>(0);
  settings.held = [=]() -> std::optional<std::string> { return (*left)-- > 0 ? why : std::string(); };
  settings.clock = [turns] { return std::vector<double>(3, 1 + ++*turns); };
  return settings;
}

DeviceResult run_passing(FakeDeviceSettings settings, const DeviceJob& job) {
  FakeDevice device(std::move(settings));
  DeviceResult result = run_device_job(device, job, evo::tests::known());
  EXPECT_TRUE(result.gates.back().pass());
  EXPECT_EQ(result.gates.back().gate, model::Gate::latency);
  return result;
}

class Clocks : public ::testing::TestWithParam<bool> {
 protected:
  [[nodiscard]] DeviceJob job() const { return job_of(GetParam()); }
  [[nodiscard]] double first_sample(const DeviceResult& result) const {
    return GetParam()
               ? std::min(result.paired.at(0).candidate_us.at(0), result.paired.at(0).opponent_us.at(0))
               : result.samples.at(0).us.at(0);
  }
};

TEST_P(Clocks, ATimingInWhichTheDeviceSlowedItselfDownIsTakenAgain) {
  const DeviceResult cool = run_passing(held_down("", 0), job());
  EXPECT_EQ(cool.clocks, (model::HeldClocks{true, 0, 0, {}}));
  EXPECT_EQ(first_sample(cool), 2) << "of the first turn";
  for (const char* why : {"thermal slowdown", "hardware slowdown, power cap", "power brake"}) {
    const DeviceResult hot = run_passing(held_down(why, 1), job());
    EXPECT_EQ(hot.clocks.discarded, 1U) << why;
    EXPECT_EQ(hot.clocks.kept, 0U) << why;
    EXPECT_TRUE(hot.clocks.watched);
    EXPECT_FALSE(hot.clocks.reasons.empty());
    EXPECT_GT(first_sample(hot), 2) << "nothing of the timing before is among the samples";
    EXPECT_EQ(hot.latencies.size(), cool.latencies.size());
    EXPECT_EQ(hot.paired.size(), cool.paired.size());
  }
}

TEST_P(Clocks, ASlowdownThatShowsAtTheEndAloneCounts) {
  FakeDeviceSettings settings = held_down("", 0);
  const auto log = settings.log;
  auto told = std::make_shared<bool>(false);
  settings.held = [=]() -> std::optional<std::string> {
    if (log->timings == 0 || *told) return std::string();
    *told = true;
    return "thermal slowdown";
  };
  EXPECT_EQ(run_passing(std::move(settings), job()).clocks.discarded, 1U);
}

TEST_P(Clocks, WhatStaysHotIsKeptAndSaid) {
  const DeviceResult hot = run_passing(held_down("thermal slowdown", 1 << 20), job());
  EXPECT_EQ(hot.clocks, (model::HeldClocks{true, 4, 1, {"thermal slowdown"}}));
  DeviceJob never = job();
  never.most_discarded = 0;
  EXPECT_EQ(run_passing(held_down("thermal slowdown", 1 << 20), never).clocks,
            (model::HeldClocks{true, 0, 1, {"thermal slowdown"}}));
}

TEST_P(Clocks, APowerCapIsKeptAndSaid) {
  const DeviceResult capped = run_passing(held_down("power cap", 1 << 20), job());
  EXPECT_EQ(capped.clocks, (model::HeldClocks{true, 0, 1, {"power cap"}}));
  EXPECT_EQ(first_sample(capped), 2);
}

TEST_P(Clocks, AnotherProcessIsSaidAndNothingIsThrownAway) {
  const DeviceResult shared = run_passing(held_down("another process", 1 << 20), job());
  EXPECT_EQ(shared.clocks, (model::HeldClocks{true, 0, 1, {"another process"}}));
}

TEST_P(Clocks, WhereNobodyTellsNothingIsThrownAway) {
  FakeDeviceSettings settings = held_down("", 0);
  settings.held = [] { return std::nullopt; };
  EXPECT_EQ(run_passing(settings, job()).clocks, model::HeldClocks{});
  settings.held = {};
  EXPECT_EQ(run_passing(settings, job()).clocks, model::HeldClocks{});
}

TEST_P(Clocks, WhatFailsIsToldAtOnceHotOrNot) {
  FakeDeviceSettings settings = held_down("thermal slowdown", 1 << 20);
  settings.time_failure = model::Failure{model::Status::launch_error, "refused", {}};
  const auto log = settings.log;
  FakeDevice device(std::move(settings));
  const DeviceResult result = run_device_job(device, job(), evo::tests::known());
  EXPECT_FALSE(result.gates.back().pass());
  EXPECT_EQ(log->timings, 1);
  EXPECT_EQ(result.clocks.discarded, 0U);
  EXPECT_TRUE(result.samples.empty());
}

INSTANTIATE_TEST_SUITE_P(AloneAndCompared, Clocks, ::testing::Bool());

TEST(Samples, OfAMeasuredLatencyAreKeptInTheirOrder) {
  FakeDeviceSettings settings;
  settings.kernel = tests::correct_kernel();
  settings.samples_us = {9, 5, 6, 5.5, 5.25, 100};
  const DeviceResult result = run_passing(settings, job_of(false));
  ASSERT_EQ(result.samples.size(), 1U);
  EXPECT_EQ(result.samples[0], (model::SampleSeries{"even", "", {9, 5, 6, 5.5, 5.25, 100}}));
}

TEST(Samples, OfAModelledLatencyThereAreNone) {
  FakeDeviceSettings settings;
  settings.info = {"virtual", "PTX machine", "", "", ""};
  settings.kernel = tests::correct_kernel();
  settings.samples_us = {12};
  const DeviceResult result = run_passing(settings, job_of(false));
  EXPECT_TRUE(result.samples.empty());
  EXPECT_FALSE(result.clocks.watched);
}

TEST(Samples, OfALongSeriesEveryFewAreKept) {
  std::vector<double> us(2500);
  for (std::size_t i = 0; i < us.size(); ++i) us[i] = 1 + static_cast<double>(i);
  const std::vector<double> kept = model::kept_samples(us);
  ASSERT_EQ(kept.size(), 834U);
  EXPECT_EQ(kept[0], 1);
  EXPECT_EQ(kept[1], 4);
  EXPECT_EQ(kept.back(), 2500);
  EXPECT_EQ(model::kept_samples(kept), kept);
  us.resize(model::most_kept_samples);
  EXPECT_EQ(model::kept_samples(us), us);
  EXPECT_EQ(model::kept_samples({1.0 / 3}).front(), static_cast<double>(1.0F / 3));
}

TEST(Samples, CrossAWire) {
  const DeviceResult hot = run_passing(held_down("thermal slowdown, power cap", 1), job_of(false));
  const DeviceResult back = device_result_from_json(to_json(hot));
  EXPECT_EQ(back.samples, hot.samples);
  EXPECT_EQ(back.clocks, hot.clocks);
  DeviceJob job = job_of(true);
  job.pause_ms = 7;
  const DeviceJob there = device_job_from_json(to_json(job));
  EXPECT_EQ(there.most_discarded, 4U);
  EXPECT_EQ(there.pause_ms, 7U);
}

}  // namespace
}  // namespace evo::evaluators::gates
