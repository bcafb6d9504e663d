// A run that asks for a cold L2: enough sets of buffers, all of them used, and outputs verified all the same.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "evaluators/gates/cold_sets.hpp"
#include "evaluators/gates/paired.hpp"
#include "evaluators/oracle/layout.hpp"
#include "tests/gates/jobs.hpp"
#include "tests/support/known.hpp"

namespace evo::evaluators::gates {
namespace {

using tests::FakeDevice;
using tests::FakeDeviceSettings;
using tests::FakeLaunch;

constexpr int sets_wanted = 33;

DeviceJob cold_job() {
  DeviceJob job = tests::vector_add_job();
  job.settings.cache = "cold";
  job.settings.timing_samples = 4;
  return job;
}

DeviceJob cold_comparison() {
  DeviceJob job = cold_job();
  job.artifact.cubin = "candidate";
  job.opponent = Opponent{job.artifact, job.timed_cases, 0};
  job.opponent->artifact.cubin = "opponent";
  job.settings.paired_rounds = 4;
  return job;
}

/// A GPU whose L2 is passed five times over by 32 sets of the timed case.
FakeDeviceSettings small_cache(const DeviceJob& job) {
  FakeDeviceSettings settings;
  settings.info.l2_bytes = (sets_wanted - 1) * oracle::case_bytes(job.timed_cases.front()) / 5;
  return settings;
}

/// How often each set was used, by its output buffer, while the device was timed.
using Uses = std::map<devices::BufferId, int>;

tests::FakeKernel counting(const FakeDeviceSettings& settings, Uses& uses) {
  return tests::add_then([log = settings.log, &uses](FakeLaunch& launch) {
    if (log->being_timed) ++uses[launch.buffer(2)];
  });
}

TEST(ColdSets, MoreThanFiveTimesTheL2PassesBetweenTwoUses) {
  for (const std::int64_t bytes : {1'000, 100'000, 3'000'000, 400'000'000}) {
    for (const std::int64_t l2 : {4'000'000, 50'000'000}) {
      const auto [sets, emptied] = cold_plan(bytes, l2);
      EXPECT_GE(sets, 2);
      EXPECT_LE(sets, 64);
      EXPECT_EQ(emptied, (sets - 1) * bytes < 5 * l2) << bytes << " of " << l2;
    }
  }
  EXPECT_GE(cold_plan(8 << 20, 0).sets, cold_plan(8 << 20, 50 << 20).sets)
      << "an L2 that nobody knows is large";
  EXPECT_GT(emptying_bytes(0), emptying_bytes(50 << 20));
  EXPECT_EQ(launches_of_whole_turns(20, 3), 21);
  EXPECT_EQ(launches_of_whole_turns(20, 33), 33);
  EXPECT_EQ(launches_of_whole_turns(20, 5), 20);
  EXPECT_EQ(cold_launches(200, {64, false}), 256);
  EXPECT_EQ(cold_launches(200, {64, true}), 64) << "a set that is used twice in a sample is warm";
  EXPECT_EQ(cold_launches(20, {64, true}), 64);
}

TEST(Cold, ATrialIsTimedOnAsManySetsAndUsesEachEquallyOften) {
  const DeviceJob job = cold_job();
  FakeDeviceSettings settings = small_cache(job);
  Uses uses;
  settings.kernel = counting(settings, uses);
  FakeDevice device(settings);
  const DeviceResult result = run_device_job(device, job, evo::tests::known());
  ASSERT_EQ(result.latencies.size(), 1U);
  EXPECT_EQ(uses.size(), static_cast<std::size_t>(sets_wanted));
  for (const auto& [set, count] : uses) EXPECT_EQ(count, job.settings.timing_samples);
  EXPECT_NE(result.latencies[0].latency.method.find("cold"), std::string::npos);
}

// Arrays that many sets of which the L2 holds all the same.
TEST(Cold, OfSmallArraysTheL2IsEmptiedBeforeASampleThatUsesEachSetOnce) {
  DeviceJob job = cold_job();
  job.settings.timing_launches = 200;
  FakeDeviceSettings settings = small_cache(job);
  settings.info.l2_bytes *= 100;
  Uses uses;
  settings.kernel = counting(settings, uses);
  FakeDevice device(settings);
  const DeviceResult result = run_device_job(device, job, evo::tests::known());
  ASSERT_EQ(result.latencies.size(), 1U);
  EXPECT_EQ(uses.size(), 64U);
  for (const auto& [set, count] : uses) EXPECT_EQ(count, job.settings.timing_samples);
  EXPECT_EQ(settings.log->emptied, settings.log->timings);
}

TEST(Cold, OfSmallArraysAComparisonDoesSoToo) {
  DeviceJob job = cold_comparison();
  job.settings.timing_launches = 200;
  FakeDeviceSettings settings = small_cache(job);
  settings.info.l2_bytes *= 100;
  settings.samples_us = {1};
  Uses uses;
  settings.kernel = counting(settings, uses);
  FakeDevice device(settings);
  const DeviceResult result = run_device_job(device, job, evo::tests::known());
  ASSERT_TRUE(result.gates.back().pass());
  EXPECT_EQ(uses.size(), 64U);
  EXPECT_EQ(settings.log->emptied, settings.log->timings);
  EXPECT_EQ(settings.log->most_launches, 64);
}

TEST(Cold, ASampleOfManySetsNeedsNoEmptying) {
  const DeviceJob job = cold_job();
  FakeDeviceSettings settings = small_cache(job);
  Uses uses;
  settings.kernel = counting(settings, uses);
  FakeDevice device(settings);
  static_cast<void>(run_device_job(device, job, evo::tests::known()));
  EXPECT_EQ(settings.log->emptied, 0);
  EXPECT_GT(settings.log->timings, 0);
}

TEST(Cold, AHotTrialHasAFewSetsAndSaysNothingOfIt) {
  DeviceJob job = cold_job();
  job.settings.cache = "hot";
  FakeDeviceSettings settings = small_cache(job);
  Uses uses;
  settings.kernel = counting(settings, uses);
  FakeDevice device(settings);
  const DeviceResult result = run_device_job(device, job, evo::tests::known());
  ASSERT_EQ(result.latencies.size(), 1U);
  EXPECT_EQ(uses.size(), 8U);
  EXPECT_EQ(result.latencies[0].latency.method.find("cold"), std::string::npos);
}

TEST(Cold, TheVirtualDeviceModelsOneLaunchAllTheSame) {
  const DeviceJob job = cold_job();
  FakeDeviceSettings settings = small_cache(job);
  settings.info.kind = "virtual";
  Uses uses;
  settings.kernel = counting(settings, uses);
  FakeDevice device(settings);
  const DeviceResult result = run_device_job(device, job, evo::tests::known());
  ASSERT_EQ(result.latencies.size(), 1U);
  EXPECT_EQ(uses.size(), 1U);
  EXPECT_EQ(result.latencies[0].latency.method.find("cold"), std::string::npos);
}

// The sets that are verified are drawn: whoever writes nothing into any of three quarters of them is seen.
TEST(Cold, AKernelThatSkipsMostSetsIsWrong) {
  const DeviceJob job = cold_job();
  FakeDeviceSettings settings = small_cache(job);
  settings.kernel = [log = settings.log, known = std::make_shared<std::set<devices::BufferId>>()](
                        FakeLaunch& launch) -> devices::Outcome<devices::LaunchReport> {
    if (log->being_timed) known->insert(launch.buffer(2));
    const auto place =
        static_cast<std::size_t>(std::distance(known->begin(), std::ranges::find(*known, launch.buffer(2))));
    if (!log->being_timed || place < sets_wanted / 4) tests::vector_add(launch);
    return devices::LaunchReport{};
  };
  FakeDevice device(settings);
  const DeviceResult result = run_device_job(device, job, evo::tests::known());
  ASSERT_EQ(result.gates.size(), 2U);
  EXPECT_FALSE(result.gates[1].pass());
}

TEST(Cold, WhichSetsAreVerifiedChanges) {
  const DeviceJob job = cold_job();
  std::set<std::uint64_t> read;
  for (std::uint64_t seed = 1; seed <= 24; ++seed) {
    DeviceJob seeded = job;
    seeded.input_seed = seed;
    FakeDeviceSettings settings = small_cache(job);
    // A set whose output was left as it was is seen only where it is among those that are read.
    auto wrong = std::make_shared<std::set<devices::BufferId>>();
    settings.kernel = tests::add_then([log = settings.log, wrong](FakeLaunch& launch) {
      if (!log->being_timed) return;
      wrong->insert(launch.buffer(2));
      // Only the last of the sets, in the order in which they were made, is ever wrong.
      if (wrong->size() == sets_wanted && launch.buffer(2) == *wrong->rbegin())
        launch.pointer<float>(2)[0] += 1;
    });
    FakeDevice device(settings);
    const DeviceResult result = run_device_job(device, seeded, evo::tests::known());
    if (!result.gates.back().pass()) read.insert(seed);
  }
  EXPECT_FALSE(read.empty()) << "the last set is drawn now and then";
  EXPECT_LT(read.size(), 24U) << "and not always";
}

TEST(Cold, AComparisonUsesEachSetEquallyOften) {
  DeviceJob job = cold_comparison();
  // A sample of 40 launches: more than the sets, and no multiple of them.
  job.settings.timing_launches = 60;
  FakeDeviceSettings settings = small_cache(job);
  settings.samples_us = {25};
  Uses uses;
  settings.kernel = counting(settings, uses);
  FakeDevice device(settings);
  const DeviceResult result = run_device_job(device, job, evo::tests::known());
  ASSERT_TRUE(result.gates.back().pass());
  ASSERT_EQ(uses.size(), static_cast<std::size_t>(sets_wanted));
  for (const auto& [set, count] : uses) EXPECT_EQ(count, uses.begin()->second);
}

}  // namespace
}  // namespace evo::evaluators::gates
