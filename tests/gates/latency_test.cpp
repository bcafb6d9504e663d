#include <gtest/gtest.h>

#include "tests/gates/jobs.hpp"
#include "tests/support/known.hpp"

namespace evo::evaluators::gates {
namespace {

using model::Status;
using tests::FakeDevice;
using tests::FakeDeviceSettings;
using tests::FakeLaunch;

DeviceResult run_timed(FakeDeviceSettings settings, const DeviceJob& job = tests::vector_add_job()) {
  FakeDevice device(std::move(settings));
  return run_device_job(device, job, evo::tests::known());
}

const model::Failure& latency_failure(const DeviceResult& result) {
  EXPECT_EQ(result.gates.size(), 2U);
  EXPECT_TRUE(result.gates.at(0).pass());
  EXPECT_EQ(result.gates.at(1).gate, model::Gate::latency);
  EXPECT_TRUE(result.latencies.empty());
  return result.gates.at(1).failure.value();
}

TEST(Latency, MeasuredIsAMedianWithAnInterval) {
  FakeDeviceSettings settings;
  settings.kernel = tests::correct_kernel();
  settings.samples_us = {9, 5, 6, 5.5, 5.25, 100};
  const DeviceResult result = run_timed(settings);
  ASSERT_EQ(result.latencies.size(), 1U);
  const model::Latency& latency = result.latencies[0].latency;
  EXPECT_EQ(result.latencies[0].workload, "even");
  EXPECT_EQ(latency.kind, model::LatencyKind::measured);
  EXPECT_EQ(latency.microseconds, 5.75);
  ASSERT_TRUE(latency.ci95.has_value());
  EXPECT_LE((*latency.ci95)[0], 5.75);
  EXPECT_GE((*latency.ci95)[1], 5.75);
  EXPECT_EQ(latency.samples, 6U);
  EXPECT_EQ(latency.method, "fake clock");
  EXPECT_GT(result.device_seconds, 0);
}

TEST(Latency, ModelledHasNoInterval) {
  FakeDeviceSettings settings;
  settings.info = {"virtual", "PTX machine", "", "", ""};
  settings.kernel = tests::correct_kernel();
  settings.samples_us = {12};
  const DeviceResult result = run_timed(settings);
  ASSERT_EQ(result.latencies.size(), 1U);
  EXPECT_EQ(result.latencies[0].latency.kind, model::LatencyKind::modelled);
  EXPECT_EQ(result.latencies[0].latency.microseconds, 12);
  EXPECT_FALSE(result.latencies[0].latency.ci95.has_value());
}

TEST(Latency, ModelledTimesUseTheSameInputsWhateverTheSeedOfTheRun) {
  std::vector<float> seen;
  for (const std::uint64_t seed : {1U, 2U}) {
    FakeDeviceSettings settings;
    settings.info.kind = "virtual";
    settings.kernel =
        tests::add_then([&](FakeLaunch& launch) { seen.push_back(launch.pointer<float>(0)[0]); });
    DeviceJob job = tests::vector_add_job();
    job.input_seed = seed;
    job.settings.timing_samples = 1;
    run_timed(settings, job);
  }
  const std::size_t half = seen.size() / 2;
  EXPECT_EQ(seen[half - 1], seen.back());  // timed
  EXPECT_NE(seen[0], seen[half]);          // checked
}

TEST(Latency, MeasuredTimesHaveInputsThatNobodyKnows) {
  std::set<float> timed;
  for (const std::uint64_t seed : {1U, 2U}) {
    FakeDeviceSettings settings;
    const auto log = settings.log;
    settings.kernel = tests::add_then([&, log](FakeLaunch& launch) {
      if (log->being_timed) timed.insert(launch.pointer<float>(0)[0]);
    });
    DeviceJob job = tests::vector_add_job();
    job.input_seed = seed;
    run_timed(settings, job);
  }
  EXPECT_EQ(timed.size(), 2U * 8U) << "eight sets of buffers in each run";
}

TEST(Latency, TimedBuffersRotateOverDifferentInputs) {
  std::set<devices::BufferId> buffers;
  std::set<float> values;
  FakeDeviceSettings settings;
  const auto log = settings.log;
  settings.kernel = tests::add_then([&, log](FakeLaunch& launch) {
    if (log->timings == 0) return;
    buffers.insert(launch.buffer(2));
    values.insert(launch.pointer<float>(0)[0]);
  });
  run_timed(settings);
  EXPECT_GE(buffers.size(), 2U);
  EXPECT_EQ(buffers.size(), values.size());
}

// The others that it is compared with stand like that: a row that straddles cache lines takes longer to
// fetch.
TEST(Latency, TimedBuffersStandAsAllocatorsPutThem) {
  FakeDeviceSettings settings;
  const auto log = settings.log;
  std::set<std::uint32_t> timed, before;
  settings.kernel = tests::add_then([&, log](FakeLaunch& launch) {
    for (const std::size_t argument : {0, 1, 2})
      (log->being_timed ? timed : before).insert(launch.misalignment(argument));
  });
  run_timed(settings);
  EXPECT_EQ(timed, (std::set<std::uint32_t>{0}));
  EXPECT_GE(before.size(), 4U) << "correct at all alignments all the same";
}

TEST(Latency, TimedDataIsNotTheCorrectnessGates) {
  std::set<float> checked, timed;
  FakeDeviceSettings settings;
  const auto log = settings.log;
  settings.kernel = tests::add_then([&, log](FakeLaunch& launch) {
    (log->timings == 0 ? checked : timed).insert(launch.pointer<float>(0)[0]);
  });
  run_timed(settings);
  ASSERT_FALSE(timed.empty());
  for (const float value : timed)
    EXPECT_FALSE(checked.contains(value)) << "a table of earlier answers would serve";
}

TEST(Latency, GuardZonesAreLookedAtAfterTheTimedLaunches) {
  FakeDeviceSettings settings;
  const auto log = settings.log;
  settings.kernel = tests::add_then([log](FakeLaunch& launch) {
    if (log->being_timed) launch.pointer<float>(2)[-1] = 1;
  });
  EXPECT_EQ(latency_failure(run_timed(settings)).reason, "guard_overwritten");
}

// When nobody looks between the launches any more.
TEST(Latency, GuardZonesAreLookedAtBehindTheLastOfTheTimedLaunches) {
  FakeDeviceSettings settings;
  const auto log = settings.log;
  auto timed = std::make_shared<int>(0);
  settings.kernel = tests::add_then([log, timed](FakeLaunch& launch) {
    if (log->being_timed && ++*timed > 390) launch.pointer<float>(2)[-1] = 1;  // of 20 samples of 20 launches
  });
  EXPECT_EQ(latency_failure(run_timed(settings)).reason, "guard_overwritten");
}

TEST(Latency, KernelThatDoesNothingWithOtherInputsLeavesTheirOutputsUnwritten) {
  FakeDeviceSettings settings;
  const auto log = settings.log;
  settings.kernel = tests::only([log](FakeLaunch& launch) {
    if (log->timings == 0 || log->being_timed) tests::vector_add(launch);
  });
  EXPECT_EQ(latency_failure(run_timed(settings)).reason, "unwritten");
}

TEST(Latency, KernelThatStopsWorkingWhenTimedIsWrong) {
  FakeDeviceSettings settings;
  const auto log = settings.log;
  settings.kernel = tests::only([log](FakeLaunch& launch) {
    if (log->timings == 0) tests::vector_add(launch);
  });
  const DeviceResult result = run_timed(settings);
  EXPECT_EQ(latency_failure(result).status, Status::wrong);
  EXPECT_EQ(latency_failure(result).reason, "unwritten");
}

TEST(Latency, KernelThatOnlySkipsTheTimedLaunchesIsWrong) {
  FakeDeviceSettings settings;
  const auto log = settings.log;
  settings.kernel = tests::only([log](FakeLaunch& launch) {
    if (!log->being_timed) tests::vector_add(launch);
  });
  EXPECT_EQ(latency_failure(run_timed(settings)).reason, "unwritten");
}

// Works at the beginning and at the end, where it would be looked at; the run's entropy says when else.
TEST(Latency, KernelThatSkipsLaunchesInTheMiddleOfTheTimedOnesIsWrong) {
  FakeDeviceSettings settings;
  const auto log = settings.log;
  auto timed = std::make_shared<int>(0);
  settings.kernel = tests::only([log, timed](FakeLaunch& launch) {
    const int number = log->being_timed ? (*timed)++ : 0;
    if (number < 20 || number >= 380) tests::vector_add(launch);  // of 20 samples of 20 launches
  });
  const DeviceResult result = run_timed(settings);
  EXPECT_EQ(latency_failure(result).reason, "unwritten");
  EXPECT_GT(log->spot_checks, 0);
  const auto& details = latency_failure(result).evidence.at(0).details;
  EXPECT_TRUE(std::any_of(details.begin(), details.end(), [](const auto& detail) {
    return detail.first == "when" && detail.second.starts_with("between the timed launches");
  }));
}

TEST(Latency, WhereTheTimedLaunchesAreLookedAtIsDrawnFromTheRunsEntropy) {
  std::set<std::vector<int>> seen;
  for (const std::uint64_t seed : {1U, 2U, 3U, 4U}) {
    FakeDeviceSettings settings;
    const auto log = settings.log;
    std::vector<int> at;
    settings.kernel = tests::add_then([&, log](FakeLaunch& launch) {
      if (static_cast<int>(at.size()) < log->spot_checks) at.push_back(launch.index);
    });
    DeviceJob job = tests::vector_add_job();
    job.input_seed = seed;
    EXPECT_EQ(run_timed(settings, job).latencies.size(), 1U);
    seen.insert(at);
  }
  EXPECT_GE(seen.size(), 3U);
}

// Works on the first set of buffers always, on the others at the beginning and at the end: some run sees it.
TEST(Latency, WhichBuffersAreLookedAtIsDrawnFromTheRunsEntropy) {
  bool caught = false;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    FakeDeviceSettings settings;
    const auto log = settings.log;
    auto first = std::make_shared<std::optional<devices::BufferId>>();
    auto timed = std::make_shared<int>(0);
    settings.kernel = tests::only([log, timed, first](FakeLaunch& launch) {
      if (log->being_timed && !*first) *first = launch.buffer(2);
      const int number = log->being_timed ? (*timed)++ : 0;
      if (number < 20 || number >= 380 || launch.buffer(2) == **first) tests::vector_add(launch);
    });
    DeviceJob job = tests::vector_add_job();
    job.input_seed = seed;
    caught = caught || !run_timed(settings, job).gates.at(1).pass();
  }
  EXPECT_TRUE(caught);
}

// Writes too much into one set of buffers when nobody looks any more before the end.
TEST(Latency, AllSetsOfBuffersAreVerified) {
  FakeDeviceSettings settings;
  const auto log = settings.log;
  auto seen = std::make_shared<std::set<devices::BufferId>>();
  auto timed = std::make_shared<int>(0);
  settings.kernel = tests::add_then([log, seen, timed](FakeLaunch& launch) {
    if (!log->being_timed) return;
    seen->insert(launch.buffer(2));
    if (++*timed > 380 && launch.buffer(2) == *std::next(seen->begin())) launch.pointer<float>(2)[5] += 1;
  });
  EXPECT_EQ(latency_failure(run_timed(settings)).reason, "mismatch");
}

// Keeps what it computed for a buffer and answers from that: correct while inputs stay the same.
TEST(Latency, KernelThatReplaysEarlierAnswersIsWrong) {
  FakeDeviceSettings settings;
  const auto log = settings.log;
  auto answers = std::make_shared<std::map<devices::BufferId, std::vector<float>>>();
  settings.kernel = tests::only([log, answers](FakeLaunch& launch) {
    const int n = launch.scalar<std::int32_t>(3);
    auto& answer = (*answers)[launch.buffer(2)];
    if (log->timings == 0 || answer.empty()) {
      tests::vector_add(launch);
      answer.assign(launch.pointer<float>(2), launch.pointer<float>(2) + n);
    }
    if (log->timings > 0) std::copy(answer.begin(), answer.end(), launch.pointer<float>(2));
  });
  const DeviceResult result = run_timed(settings);
  EXPECT_EQ(latency_failure(result).reason, "mismatch");
  const auto& details = latency_failure(result).evidence.at(0).details;
  EXPECT_NE(
      std::find(details.begin(), details.end(),
                std::pair<std::string, std::string>{"when", "after the timed launches, with other inputs"}),
      details.end());
}

TEST(Latency, SamplesThatAreNoTimesAreRefused) {
  for (const std::vector<double>& samples : {std::vector<double>{},
                                             {5, 0},
                                             {5, -1},
                                             {5, std::numeric_limits<double>::quiet_NaN()},
                                             {std::numeric_limits<double>::infinity()}}) {
    FakeDeviceSettings settings;
    settings.kernel = tests::correct_kernel();
    settings.samples_us = samples;
    EXPECT_EQ(latency_failure(run_timed(settings)).reason, "no_samples");
  }
}

TEST(Latency, FailureWhileTimingEndsTheTrial) {
  FakeDeviceSettings settings;
  settings.kernel = tests::correct_kernel();
  settings.time_failure = model::Failure{Status::timeout, "watchdog", {}};
  const DeviceResult result = run_timed(settings);
  EXPECT_EQ(latency_failure(result).status, Status::timeout);
  EXPECT_FALSE(latency_failure(result).evidence.empty());
}

TEST(Latency, NotTimedUnlessAsked) {
  FakeDeviceSettings settings;
  settings.kernel = tests::correct_kernel();
  DeviceJob job = tests::vector_add_job();
  job.timed_cases.clear();
  const DeviceResult result = run_timed(settings, job);
  ASSERT_EQ(result.gates.size(), 1U);
  EXPECT_TRUE(result.gates[0].pass());
  EXPECT_EQ(settings.log->timings, 0);
}

TEST(Latency, EveryTimedCaseIsReportedWithItsWeight) {
  FakeDeviceSettings settings;
  settings.kernel = tests::correct_kernel();
  DeviceJob job = tests::vector_add_job();
  job.timed_cases.push_back(job.cases[1]);
  job.timed_cases[1].weight = 3;
  const DeviceResult result = run_timed(settings, job);
  ASSERT_EQ(result.latencies.size(), 2U);
  EXPECT_EQ(result.latencies[1].workload, "odd");
  EXPECT_EQ(result.latencies[1].weight, 3);
}

}  // namespace
}  // namespace evo::evaluators::gates
