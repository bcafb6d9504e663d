// A champion's launches under changed surroundings: what is varied, and that each variation can refuse.
#include "evaluators/gates/perturbation.hpp"

#include <map>
#include <set>

#include <gtest/gtest.h>

#include "evaluators/gates/case_buffers.hpp"
#include "tests/gates/jobs.hpp"
#include "tests/support/known.hpp"

namespace evo::evaluators::gates {
namespace {

using model::Status;
using tests::FakeDevice;
using tests::FakeDeviceSettings;
using tests::FakeLaunch;

DeviceJob perturbed_job(int launches = 400) {
  DeviceJob job = tests::vector_add_job();
  job.timed_cases.clear();
  job.perturbed_launches = launches;
  return job;
}

DeviceResult run_perturbed(FakeDeviceSettings settings, const DeviceJob& job = perturbed_job()) {
  FakeDevice device(std::move(settings));
  return run_device_job(device, job, evo::tests::known());
}

std::string detail(const model::Failure& failure, const std::string& name) {
  for (const auto& [key, value] : failure.evidence.at(0).details) {
    if (key == name) return value;
  }
  return {};
}

/// The failure of a kernel that adds correct but for `when`, where it is off by one in its first element.
model::Failure failure_when(std::function<bool(FakeLaunch&)> when) {
  FakeDeviceSettings settings;
  settings.kernel = tests::add_then([when = std::move(when)](FakeLaunch& launch) {
    if (when(launch)) launch.pointer<float>(2)[0] += 1;
  });
  const DeviceResult result = run_perturbed(settings);
  return result.gates.at(0).failure.value_or(model::Failure{Status::proven, "nothing seen", {}});
}

TEST(PerturbationPlan, MakesAllLaunchesAndMeetsEveryCombination) {
  const DeviceJob job = perturbed_job(1000);
  std::size_t launches = 0;
  std::set<std::tuple<bool, bool, unsigned, std::uint64_t>> met;
  std::set<std::uint64_t> spacers;
  std::set<std::uint32_t> poisons;
  bool finite = false, infinite = false;
  for (const PerturbedBatch& batch : plan_perturbation(job)) {
    launches += batch.poisons.size();
    EXPECT_EQ(batch.case_index, 0U) << "workloads only";
    met.insert({batch.cold, batch.load, batch.alignment_shift, batch.rotation});
    spacers.insert(batch.spacer_bytes);
    poisons.insert(batch.poisons.begin(), batch.poisons.end());
    (batch.finite_poison ? finite : infinite) = true;
  }
  EXPECT_EQ(launches, 1000U);
  EXPECT_EQ(met.size(), 2U * 2 * alignment_count * 3);
  EXPECT_GT(spacers.size(), 200U);
  EXPECT_GT(poisons.size(), 990U);
  EXPECT_TRUE(finite && infinite);
}

TEST(PerturbationPlan, WorkloadsTakeTurns) {
  DeviceJob job = perturbed_job(100);
  job.workload_count = 2;
  std::map<std::size_t, std::size_t> launches;
  for (const PerturbedBatch& batch : plan_perturbation(job))
    launches[batch.case_index] += batch.poisons.size();
  ASSERT_EQ(launches.size(), 2U);
  EXPECT_GT(launches[0], 40U);
  EXPECT_GT(launches[1], 40U);
}

TEST(PerturbationPlan, LeavesOutWorkloadsWhoseCopiesWouldTakeMinutes) {
  DeviceJob job = perturbed_job(8);
  job.cases = {tests::vector_add_case(std::int64_t{1} << 24, false, "big"), tests::vector_add_case(64)};
  job.workload_count = 2;
  for (const PerturbedBatch& batch : plan_perturbation(job)) EXPECT_EQ(batch.case_index, 1U);
  job.workload_count = 1;
  const auto batches = plan_perturbation(job);
  ASSERT_FALSE(batches.empty()) << "the smallest is asked, however big";
  EXPECT_EQ(batches[0].case_index, 0U);
}

TEST(Perturbation, ARightKernelStandsAndWhatWasDoneIsTold) {
  FakeDeviceSettings settings;
  const auto log = settings.log;
  settings.kernel = tests::correct_kernel();
  const DeviceResult result = run_perturbed(settings);
  EXPECT_TRUE(result.gates.at(0).pass()) << result.gates[0].failure->evidence[0].message;
  EXPECT_EQ(log->launches, 9 + 20 + 400);
  EXPECT_EQ(log->flushes, 200);
  EXPECT_GT(log->loads_beside, 40);
  EXPECT_EQ(log->live_buffers, 0);
  ASSERT_EQ(result.notes.size(), 2U);
  EXPECT_EQ(result.notes[0].kind, "correct_for");
  EXPECT_EQ(result.notes[1].kind, "perturbed");
  EXPECT_NE(result.notes[1].message.find("400 launches"), std::string::npos);
  EXPECT_NE(result.notes[1].message.find("not shuffled"), std::string::npos);
}

TEST(Perturbation, NobodyButAChampionIsAsked) {
  FakeDeviceSettings settings;
  settings.kernel = tests::correct_kernel();
  const DeviceResult result = run_perturbed(settings, perturbed_job(0));
  EXPECT_EQ(settings.log->launches, 9 + 20);
  ASSERT_EQ(result.notes.size(), 1U);
  EXPECT_EQ(result.notes[0].kind, "correct_for");
}

TEST(Perturbation, OtherBitsWithAColdCacheAreSeen) {
  const model::Failure failure = failure_when([](FakeLaunch& launch) { return launch.device().cold(); });
  EXPECT_EQ(failure.status, Status::nondeterministic);
  EXPECT_EQ(failure.reason, "perturbed_differs");
  EXPECT_TRUE(detail(failure, "perturbation").starts_with("cold L2")) << detail(failure, "perturbation");
}

TEST(Perturbation, OtherBitsBesideALoadAreSeen) {
  const model::Failure failure = failure_when([](FakeLaunch& launch) { return launch.device().loaded(); });
  EXPECT_EQ(failure.reason, "perturbed_differs");
  EXPECT_NE(detail(failure, "perturbation").find("load beside"), std::string::npos);
}

TEST(Perturbation, OtherBitsAtOneLaunchOfManyAreSeen) {
  EXPECT_EQ(failure_when([](FakeLaunch& launch) { return launch.index == 9 + 20 + 397; }).reason,
            "perturbed_differs");
}

TEST(Perturbation, EachLaunchIsJudgedWhereBitsNeedNotRepeat) {
  DeviceJob job = perturbed_job();
  for (model::Case& one : job.cases) one.arguments[2].reproducible = false;
  const auto run = [&](float error) {
    FakeDeviceSettings settings;
    settings.kernel = tests::add_then([error](FakeLaunch& launch) {
      if (launch.index == 9 + 20 + 397) launch.pointer<float>(2)[0] += error;
    });
    return run_perturbed(settings, job);
  };
  const DeviceResult wrong = run(100);
  ASSERT_FALSE(wrong.gates.at(0).pass());
  EXPECT_EQ(wrong.gates[0].failure->status, Status::wrong);
  EXPECT_EQ(wrong.gates[0].failure->reason, "mismatch");
  const DeviceResult other_bits = run(1e-7F);
  EXPECT_TRUE(other_bits.gates.at(0).pass());
  EXPECT_NE(other_bits.notes.at(1).message.find("400 launches were correct"), std::string::npos);
}

// By the poison of shared memory alone, which the other gates have seen 21 times.
TEST(Perturbation, SharedMemoryIsFilledBeforeEveryLaunch) {
  FakeDeviceSettings settings;
  settings.kernel = tests::correct_kernel();
  run_perturbed(settings);
  EXPECT_EQ(settings.log->shared_fills.size(), 9U + 10U + 2U + 400U);
}

// Only the kernel itself has written what is correct there.
TEST(Perturbation, OutputsArePoisonedAnewForEveryLaunch) {
  FakeDeviceSettings settings;
  std::set<std::uint32_t> found;
  settings.kernel = tests::only([&](FakeLaunch& launch) {
    if (launch.index >= 9 + 20) found.insert(*launch.pointer<std::uint32_t>(2));
    tests::vector_add(launch);
  });
  run_perturbed(settings);
  EXPECT_GT(found.size(), 390U);
}

TEST(Perturbation, InputsAndPlacesAreThoseOfThePlan) {
  FakeDeviceSettings settings;
  const auto log = settings.log;
  std::set<float> before, perturbed, timed;
  std::set<std::uint32_t> places;
  settings.kernel = tests::add_then([&](FakeLaunch& launch) {
    (log->timings > 0        ? timed
     : launch.index < 9 + 20 ? before
                             : perturbed)
        .insert(launch.pointer<float>(0)[0]);
    if (launch.index >= 9 + 20) places.insert(launch.misalignment(0));
  });
  DeviceJob job = perturbed_job();
  job.timed_cases = {job.cases[0]};
  run_perturbed(settings, job);
  EXPECT_EQ(perturbed.size(), 3U);
  EXPECT_EQ(places.size(), alignment_count);
  for (const float value : perturbed) {
    EXPECT_FALSE(before.contains(value)) << "a table of earlier answers would serve";
    EXPECT_FALSE(timed.contains(value));
  }
  // A buffer that nobody uses stands before each batch, so that addresses vary.
  std::set<std::uint64_t> sizes(log->allocated.begin(), log->allocated.end());
  EXPECT_GT(sizes.size(), 90U);
}

// Has the answer to the inputs that it saw first, and gives it to all: bit-equal, and wrong.
TEST(Perturbation, FreshInputsMustBeAnsweredRight) {
  FakeDeviceSettings settings;
  const auto first = std::make_shared<std::optional<float>>();
  settings.kernel = tests::add_then([first](FakeLaunch& launch) {
    if (launch.index < 9 + 20) return;
    if (!*first) *first = launch.pointer<float>(0)[0];
    if (launch.pointer<float>(0)[0] != **first) launch.pointer<float>(2)[0] = 0;
  });
  const DeviceResult result = run_perturbed(settings);
  ASSERT_FALSE(result.gates.at(0).pass());
  EXPECT_EQ(result.gates[0].failure->reason, "mismatch");
}

TEST(Perturbation, AWriteBesideABufferIsSeen) {
  FakeDeviceSettings settings;
  settings.kernel = tests::add_then([](FakeLaunch& launch) {
    if (launch.device().cold()) launch.pointer<float>(2)[-1] = 1;
  });
  const DeviceResult result = run_perturbed(settings);
  ASSERT_FALSE(result.gates.at(0).pass());
  EXPECT_EQ(result.gates[0].failure->reason, "guard_overwritten");
}

TEST(Perturbation, AFaultIsTheCandidates) {
  FakeDeviceSettings settings;
  settings.kernel = [](FakeLaunch& launch) -> devices::Outcome<devices::LaunchReport> {
    if (launch.device().loaded()) return tl::make_unexpected(model::Failure{Status::timeout, "hang", {}});
    tests::vector_add(launch);
    return devices::LaunchReport{};
  };
  const DeviceResult result = run_perturbed(settings);
  ASSERT_FALSE(result.gates.at(0).pass());
  EXPECT_EQ(result.gates[0].failure->reason, "hang");
  EXPECT_NE(detail(*result.gates[0].failure, "perturbation").find("load beside"), std::string::npos);
}

TEST(Perturbation, AVirtualDevicePermutesItsOrdersInstead) {
  FakeDeviceSettings settings;
  settings.info = {"virtual", "PTX machine", "", "", ""};
  DeviceJob job = perturbed_job();
  job.settings.permuted_runs = 12;
  for (const bool independent : {true, false}) {
    settings.kernel = [independent, correct = tests::correct_kernel()](tests::FakeLaunch& launch) {
      auto report = correct(launch);
      if (report) report->blocks_independent = independent;
      return report;
    };
    const DeviceResult result = run_perturbed(settings, job);
    EXPECT_TRUE(result.gates.at(0).pass());
    ASSERT_EQ(result.notes.size(), 2U);
    EXPECT_NE(result.notes[1].message.find("12 permuted"), std::string::npos);
    const auto& seeds = settings.log->schedule_seeds;
    EXPECT_EQ(*std::max_element(seeds.begin(), seeds.end()), independent ? 12U : 24U)
        << "blocks that see what others do are tried in more orders";
  }
}

}  // namespace
}  // namespace evo::evaluators::gates
