// Two variants timed in turn on a device whose clock is a script.
#include <gtest/gtest.h>

#include <cmath>

#include "evaluators/gates/paired.hpp"
#include "tests/gates/jobs.hpp"

namespace evo::evaluators::gates {
namespace {

using tests::FakeDevice;
using tests::FakeDeviceSettings;
using tests::FakeLaunch;

/// vector_add against an opponent that is vector_add too.
DeviceJob paired_job() {
  DeviceJob job = tests::vector_add_job();
  job.artifact.cubin = "candidate";
  job.opponent = Opponent{job.artifact, job.timed_cases};
  job.opponent->artifact.cubin = "opponent";
  job.settings.paired_rounds = 8;
  return job;
}

/// A clock that gives `candidate_us` to launches of the candidate, else `opponent_us`, both slowed down by
/// `drift` more each turn.
FakeDeviceSettings with_clock(double candidate_us, double drift, double opponent_us = 10) {
  FakeDeviceSettings settings;
  auto last = std::make_shared<std::string>();
  auto turns = std::make_shared<int>(0);
  for (const std::string name : {"candidate", "opponent"}) {
    settings.kernel_of_cubin[name] = tests::add_then([last, name](FakeLaunch&) { *last = name; });
  }
  settings.clock = [=] {
    const double slower = 1 + drift * (*turns)++;
    return std::vector<double>(3, (*last == "candidate" ? candidate_us : opponent_us) * slower);
  };
  return settings;
}

model::PairedComparison compared(FakeDeviceSettings settings, const DeviceJob& job = paired_job()) {
  FakeDevice device(std::move(settings));
  const DeviceResult result = run_device_job(device, job);
  EXPECT_EQ(result.gates.size(), 1U);
  EXPECT_EQ(result.gates.at(0).gate, model::Gate::latency);
  EXPECT_TRUE(result.gates.at(0).pass());
  const auto comparison = compare_series(result.paired, "opponent");
  EXPECT_TRUE(comparison.has_value());
  return comparison.value_or(model::PairedComparison{});
}

TEST(Paired, AFasterCandidateIsFasterByWhatTheClockSays) {
  const model::PairedComparison comparison = compared(with_clock(9, 0));
  EXPECT_NEAR(comparison.ratio, 0.9, 1e-9);
  EXPECT_EQ(comparison.incumbent, "opponent");
  EXPECT_EQ(comparison.rounds, 8U);
}

// Over the rounds the clock slows down by a third, which is far more than the two differ.
// A sample of a slow kernel has fewer launches than there are sets of buffers, if nobody looks after it.
TEST(Paired, ASlowKernelWritesAllThatIsVerified) {
  EXPECT_NEAR(compared(with_clock(900, 0, 1000)).ratio, 0.9, 1e-9);
  DeviceJob job = paired_job();
  job.settings.timing_launches = 1;
  EXPECT_NEAR(compared(with_clock(9, 0), job).ratio, 0.9, 1e-9);
}

TEST(Paired, ADriftOfTheClockCancels) {
  const model::PairedComparison comparison = compared(with_clock(9.8, 0.01));
  EXPECT_NEAR(comparison.ratio, 0.98, 0.002);
  const model::PairedComparison same = compared(with_clock(10, 0.01));
  EXPECT_LE(same.interval[0], 1);
  EXPECT_GE(same.interval[1], 1);
}

TEST(Paired, ACandidateWithoutAnAdvantageIsNotTimedToTheEnd) {
  EXPECT_EQ(compared(with_clock(10, 0)).rounds, 2U);
  EXPECT_EQ(compared(with_clock(11, 0)).rounds, 2U);
}

TEST(Paired, BothModulesAreLoadedAfreshSeveralTimes) {
  FakeDeviceSettings settings = with_clock(9, 0);
  const auto log = settings.log;
  compared(std::move(settings));
  EXPECT_EQ(log->loads, 8);
  EXPECT_EQ(log->unloads, 8);
  EXPECT_EQ(log->live_buffers, 0);
}

TEST(Paired, ACandidateThatIsWrongWhenItIsTimedInTurnFails) {
  FakeDeviceSettings settings = with_clock(5, 0);
  settings.kernel_of_cubin["candidate"] =
      tests::add_then([](FakeLaunch& launch) { launch.pointer<float>(2)[0] += 1; });
  settings.kernel_of_cubin["opponent"] = settings.kernel_of_cubin["candidate"];
  FakeDevice device(std::move(settings));
  const DeviceResult result = run_device_job(device, paired_job());
  ASSERT_FALSE(result.gates.empty());
  EXPECT_FALSE(result.gates.back().pass());
  EXPECT_TRUE(result.paired.empty());
}

TEST(Paired, ATimeThatIsNoneFails) {
  FakeDevice device(with_clock(std::nan(""), 0));
  const DeviceResult result = run_device_job(device, paired_job());
  ASSERT_FALSE(result.gates.empty());
  ASSERT_FALSE(result.gates.back().pass());
  EXPECT_EQ(result.gates.back().failure->reason, "no_samples");
}

TEST(Paired, SurvivesJson) {
  const DeviceJob job = device_job_from_json(to_json(paired_job()));
  ASSERT_TRUE(job.opponent.has_value());
  EXPECT_EQ(job.opponent->artifact.cubin, "opponent");
  EXPECT_EQ(job.opponent->timed_cases.size(), 1U);
  EXPECT_EQ(job.settings.paired_rounds, 8);
  DeviceResult result;
  result.paired = {{"w", 2, {1.5, 2.5}, {3, 4}}};
  const DeviceResult back = device_result_from_json(to_json(result));
  ASSERT_EQ(back.paired.size(), 1U);
  EXPECT_EQ(back.paired[0].candidate_us, (std::vector<double>{1.5, 2.5}));
  EXPECT_EQ(back.paired[0].weight, 2);
}

TEST(CompareSeries, WeighsTheWorkloads) {
  const auto comparison =
      compare_series({{"a", 3, {1, 1, 1}, {2, 2, 2}}, {"b", 1, {2, 2, 2}, {1, 1, 1}}}, "incumbent");
  ASSERT_TRUE(comparison.has_value());
  EXPECT_NEAR(comparison->ratio, std::pow(2.0, -0.5), 1e-12);  // 2^(-3/4 + 1/4)
}

TEST(CompareSeries, NothingComesOfRoundsThatDoNotFit) {
  EXPECT_FALSE(compare_series({}, "x").has_value());
  EXPECT_FALSE(compare_series({{"a", 1, {1}, {1}}}, "x").has_value()) << "one round has no spread";
  EXPECT_FALSE(compare_series({{"a", 1, {1, 1}, {1}}}, "x").has_value());
}

}  // namespace
}  // namespace evo::evaluators::gates
