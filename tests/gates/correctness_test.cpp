// Each way of being wrong must end at the correctness gate with its own reason, and being correct must pass.
#include <cmath>
#include <functional>
#include <limits>
#include <ostream>

#include <gtest/gtest.h>

#include "tests/gates/jobs.hpp"
#include "tests/support/known.hpp"

namespace evo::evaluators::gates {
namespace {

using model::Status;
using tests::FakeDevice;
using tests::FakeDeviceSettings;
using tests::FakeKernel;
using tests::FakeLaunch;

devices::DeviceInfo virtual_info() {
  return {"virtual", "PTX machine", "", "", ""};
}

DeviceResult run(FakeDeviceSettings settings, const DeviceJob& job = tests::vector_add_job()) {
  FakeDevice device(std::move(settings));
  return run_device_job(device, job, evo::tests::known());
}

struct Fault {
  std::string name;
  FakeKernel kernel;
  Status status;
  std::string reason;
  friend std::ostream& operator<<(std::ostream& out, const Fault& fault) { return out << fault.name; }
};

int size_of(FakeLaunch& launch) {
  return launch.scalar<std::int32_t>(3);
}
float& out(FakeLaunch& launch, int i) {
  return launch.pointer<float>(2)[i * launch.scalar<std::int32_t>(4)];
}

std::vector<Fault> faults() {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float infinity = std::numeric_limits<float>::infinity();
  const auto every = [](std::function<float(FakeLaunch&, int)> value) {
    return tests::only([value](FakeLaunch& launch) {
      for (int i = 0; i < size_of(launch); ++i) out(launch, i) = value(launch, i);
    });
  };
  return {
      {"nothing", tests::only([](FakeLaunch&) {}), Status::wrong, "unwritten"},
      {"zeros", every([](FakeLaunch&, int) { return 0.0F; }), Status::wrong, "mismatch"},
      {"constant", every([](FakeLaunch&, int) { return 1.5F; }), Status::wrong, "mismatch"},
      {"copy_of_input", every([](FakeLaunch& l, int i) { return l.pointer<float>(0)[i]; }), Status::wrong,
       "mismatch"},
      {"difference",
       every([](FakeLaunch& l, int i) { return l.pointer<float>(0)[i] - l.pointer<float>(1)[i]; }),
       Status::wrong, "mismatch"},
      {"nan", every([nan](FakeLaunch&, int) { return nan; }), Status::wrong, "non_finite"},
      {"infinity", every([infinity](FakeLaunch&, int) { return infinity; }), Status::wrong, "non_finite"},
      {"one_nan", tests::add_then([nan](FakeLaunch& l) { out(l, size_of(l) / 2) = nan; }), Status::wrong,
       "non_finite"},
      {"tail_skipped", tests::only([](FakeLaunch& l) {
         for (int i = 0; i + 1 < size_of(l); ++i) out(l, i) = l.pointer<float>(0)[i] + l.pointer<float>(1)[i];
       }),
       Status::wrong, "unwritten"},
      {"odd_tail_skipped", tests::only([](FakeLaunch& l) {
         for (int i = 0; i < size_of(l) / 4 * 4; ++i)
           out(l, i) = l.pointer<float>(0)[i] + l.pointer<float>(1)[i];
       }),
       Status::wrong, "unwritten"},
      {"one_element_off", tests::add_then([](FakeLaunch& l) { out(l, size_of(l) - 1) *= 1.001F; }),
       Status::wrong, "mismatch"},
      {"writes_input", tests::add_then([](FakeLaunch& l) { l.pointer<float>(1)[size_of(l) - 1] = 7; }),
       Status::wrong, "input_modified"},
      {"writes_behind",
       tests::add_then([](FakeLaunch& l) { l.pointer<std::byte>(2)[l.bytes(2)] = std::byte{1}; }),
       Status::wrong, "guard_overwritten"},
      // In one of the last of the 9 + 20 launches, which are back to back.
      {"writes_behind_at_last", tests::add_then([](FakeLaunch& l) {
         if (l.index == 25) l.pointer<std::byte>(2)[l.bytes(2)] = std::byte{1};
       }),
       Status::wrong, "guard_overwritten"},
      {"writes_before", tests::add_then([](FakeLaunch& l) { l.pointer<float>(0)[-1] = 1; }), Status::wrong,
       "guard_overwritten"},
      {"writes_gap", tests::add_then([](FakeLaunch& l) {
         if (l.scalar<std::int32_t>(4) == 2) l.pointer<float>(2)[1] = 3;
       }),
       Status::wrong, "gap_overwritten"},
      {"ignores_stride", tests::only([](FakeLaunch& l) {
         for (int i = 0; i < size_of(l); ++i)
           l.pointer<float>(2)[i] = l.pointer<float>(0)[i] + l.pointer<float>(1)[i];
       }),
       Status::wrong, "gap_overwritten"},
      {"wrong_for_large_values", tests::add_then([](FakeLaunch& l) {
         if (out(l, 0) > 60) out(l, 0) += 1;
       }),
       Status::wrong, "mismatch"},
      {"wrong_when_misaligned_by_240", tests::add_then([](FakeLaunch& l) {
         if (l.misalignment(2) == 240) out(l, 0) = -3;
       }),
       Status::wrong, "mismatch"},
      {"wrong_when_aligned", tests::add_then([](FakeLaunch& l) {
         if (l.misalignment(0) == 0) out(l, 0) = -3;
       }),
       Status::wrong, "mismatch"},
      {"works_on_nan_poison_only", tests::only([](FakeLaunch& l) {
         if (!std::isnan(out(l, 0))) return;
         tests::vector_add(l);
       }),
       Status::wrong, "unwritten"},
      {"works_on_finite_poison_only", tests::only([](FakeLaunch& l) {
         if (std::isnan(out(l, 0))) return;
         tests::vector_add(l);
       }),
       Status::wrong, "unwritten"},
      {"works_the_first_ten_times", tests::add_then([](FakeLaunch& l) {
         if (l.index > 10) out(l, 3) += 1;
       }),
       Status::nondeterministic, "repeat_differs"},
      {"differs_in_the_last_bit", tests::add_then([](FakeLaunch& l) {
         if (l.index % 7 == 6) out(l, 0) = std::nextafter(out(l, 0), 1e9F);
       }),
       Status::nondeterministic, "repeat_differs"},
  };
}

class EachFault : public ::testing::TestWithParam<Fault> {};

TEST_P(EachFault, IsRefusedWithItsReason) {
  FakeDeviceSettings settings;
  settings.kernel = GetParam().kernel;
  const DeviceResult result = run(settings);
  ASSERT_EQ(result.gates.size(), 1U);
  ASSERT_FALSE(result.gates[0].pass());
  EXPECT_EQ(result.gates[0].gate, model::Gate::correctness);
  EXPECT_EQ(result.gates[0].failure->status, GetParam().status);
  EXPECT_EQ(result.gates[0].failure->reason, GetParam().reason);
  ASSERT_FALSE(result.gates[0].failure->evidence.empty());
  const model::Evidence& evidence = result.gates[0].failure->evidence.front();
  EXPECT_EQ(evidence.kind, GetParam().reason);
  EXPECT_EQ(evidence.details.empty(), false);
  EXPECT_TRUE(result.latencies.empty());
  EXPECT_EQ(settings.log->live_buffers, 0);
  EXPECT_EQ(settings.log->loads, settings.log->unloads);
  EXPECT_EQ(settings.log->timings, 0);
}

INSTANTIATE_TEST_SUITE_P(Faults, EachFault, ::testing::ValuesIn(faults()),
                         [](const auto& instance) { return instance.param.name; });

TEST(Correctness, RightKernelPassesAndLeavesNothingBehind) {
  for (const devices::DeviceInfo& info : {FakeDeviceSettings{}.info, virtual_info()}) {
    FakeDeviceSettings settings;
    settings.info = info;
    settings.kernel = tests::correct_kernel();
    const DeviceResult result = run(settings);
    ASSERT_EQ(result.gates.size(), 2U);
    EXPECT_TRUE(result.gates[0].pass()) << result.gates[0].failure->reason;
    EXPECT_TRUE(result.gates[1].pass());
    EXPECT_EQ(settings.log->live_buffers, 0);
    EXPECT_EQ(settings.log->loads, 1);
    EXPECT_EQ(settings.log->unloads, 1);
    EXPECT_EQ(settings.log->misalignments, (std::set<std::uint32_t>{0, 16, 128, 240}));
  }
}

TEST(Correctness, RealDeviceRepeatsWithAndWithoutSynchronisation) {
  FakeDeviceSettings settings;
  settings.kernel = tests::correct_kernel();
  DeviceJob job = tests::vector_add_job();
  job.timed_cases.clear();
  run(settings, job);
  EXPECT_EQ(settings.log->launches, 9 + 20);  // three cases, three sets; then the repetitions
  EXPECT_EQ(settings.log->most_unsynchronised, 8);
  EXPECT_EQ(settings.log->synchronisations, 2 + 10 + 2);  // eight of the nine together
  const std::set<std::uint32_t> patterns(settings.log->poisons.begin(), settings.log->poisons.end());
  EXPECT_GT(patterns.size(), 20U) << "a poison that a kernel can know is none";
}

// Wrong only if launches follow each other without a pause.
TEST(Correctness, BackToBackLaunchesAreCompared) {
  FakeDeviceSettings settings;
  const auto log = settings.log;
  settings.kernel = tests::add_then([log](FakeLaunch& launch) {
    if (log->launches > 9 && log->unsynchronised > 3) out(launch, 0) += 1;  // behind the nine checks
  });
  const DeviceResult result = run(settings);
  ASSERT_FALSE(result.gates[0].pass());
  EXPECT_EQ(result.gates[0].failure->status, Status::nondeterministic);
  EXPECT_NE(result.gates[0].failure->evidence[0].message.find("back to back"), std::string::npos);
}

TEST(Correctness, VirtualDevicePermutesItsOrders) {
  FakeDeviceSettings settings;
  settings.info = virtual_info();
  settings.kernel = tests::add_then([](FakeLaunch& launch) {
    if (launch.options.schedule_seed == 3) out(launch, 0) += 1;
  });
  const DeviceResult result = run(settings);
  ASSERT_FALSE(result.gates[0].pass());
  EXPECT_EQ(result.gates[0].failure->status, Status::nondeterministic);
  EXPECT_EQ(result.gates[0].failure->reason, "repeat_differs");
  const std::set<std::uint64_t> seeds(settings.log->schedule_seeds.begin(),
                                      settings.log->schedule_seeds.end());
  EXPECT_EQ(seeds, (std::set<std::uint64_t>{0, 1, 2, 3}));
}

// One of the last launches, in a permuted order, writes beside its buffer.
TEST(Correctness, GuardZonesAreLookedAtAfterPermutedRunsToo) {
  FakeDeviceSettings settings;
  settings.info = virtual_info();
  settings.kernel = tests::add_then([](FakeLaunch& launch) {
    if (launch.options.schedule_seed == 2) launch.pointer<float>(0)[-1] = 1;
  });
  DeviceJob job = tests::vector_add_job();
  job.timed_cases.clear();
  const DeviceResult result = run(settings, job);
  ASSERT_FALSE(result.gates[0].pass());
  EXPECT_EQ(result.gates[0].failure->reason, "guard_overwritten");
}

TEST(Correctness, VirtualLaunchesAreCheckedAndBudgeted) {
  FakeDeviceSettings settings;
  settings.info = virtual_info();
  settings.kernel = tests::correct_kernel();
  DeviceJob job = tests::vector_add_job();
  job.settings.instruction_budget = 12345;
  job.settings.launch_timeout_ms = 77;
  run(settings, job);
  for (const devices::LaunchOptions& options : settings.log->options) {
    EXPECT_EQ(options.checks, devices::CheckLevel::filtered);
    EXPECT_EQ(options.instruction_budget, 12345U);
    EXPECT_EQ(options.timeout_ms, 77);
  }
}

// Workspace is nobody's: what a kernel finds there differs from launch to launch.
TEST(Correctness, WorkspaceIsPoisoned) {
  DeviceJob job = tests::vector_add_job();
  job.timed_cases.clear();
  for (model::Case& bound : job.cases) {
    bound.arguments.push_back(
        tests::array_argument("w", model::ArgumentRole::workspace, model::DType::f32, {4}));
  }
  std::set<std::uint32_t> found;
  FakeDeviceSettings settings;
  settings.kernel = tests::add_then([&](FakeLaunch& launch) {
    found.insert(launch.pointer<std::uint32_t>(5)[0]);
    launch.pointer<std::uint32_t>(5)[0] = 0;  // may be written
  });
  EXPECT_TRUE(run(settings, job).gates[0].pass());
  EXPECT_GT(found.size(), 20U);
}

// Takes what the block before left in shared memory for its own zeros: correct after itself, or on a device
// where nobody else was.
TEST(Correctness, KernelThatCountsOnSharedMemoryIsWrong) {
  FakeDeviceSettings settings;
  settings.kernel = tests::add_then([](FakeLaunch& launch) {
    if (launch.device().shared_word() != 0) out(launch, 0) += 1;
    launch.device().set_shared_word(0);
  });
  const DeviceResult result = run(settings);
  ASSERT_FALSE(result.gates[0].pass());
  EXPECT_EQ(result.gates[0].failure->reason, "mismatch");
}

TEST(Correctness, SharedMemoryIsFilledBeforeEveryLaunchThatStandsAlone) {
  FakeDeviceSettings settings;
  const auto log = settings.log;
  int clean = 0;
  settings.kernel = tests::add_then([&](FakeLaunch& launch) {
    if (launch.device().shared_word() == 0) ++clean;
    if (log->unsynchronised <= 1) launch.device().set_shared_word(0);
  });
  DeviceJob job = tests::vector_add_job();
  job.timed_cases.clear();
  EXPECT_TRUE(run(settings, job).gates[0].pass());
  EXPECT_LE(clean, 8) << "of the launches, those behind the first of a batch";
  EXPECT_EQ(log->shared_fills.size(), 9U + 10U + 2U);
  EXPECT_GT(std::set<std::uint32_t>(log->shared_fills.begin(), log->shared_fills.end()).size(), 15U);
}

TEST(Correctness, FailuresOfTheDeviceSayWhere) {
  for (const Status status :
       {Status::launch_error, Status::device_fault, Status::timeout, Status::unsupported}) {
    FakeDeviceSettings settings;
    settings.kernel = [status](FakeLaunch& launch) -> devices::Outcome<devices::LaunchReport> {
      if (size_of(launch) == 33) return tl::make_unexpected(model::Failure{status, "broken", {}});
      tests::vector_add(launch);
      return devices::LaunchReport{};
    };
    const DeviceResult result = run(settings);
    ASSERT_FALSE(result.gates[0].pass());
    EXPECT_EQ(result.gates[0].failure->status, status);
    EXPECT_EQ(result.gates[0].failure->reason, "broken");
    const auto& details = result.gates[0].failure->evidence.at(0).details;
    EXPECT_NE(std::find(details.begin(), details.end(), std::pair<std::string, std::string>{"case", "odd"}),
              details.end());
    const bool lost = status == Status::device_fault || status == Status::timeout;
    EXPECT_EQ(settings.log->unloads, lost ? 0 : 1);
  }
}

TEST(Correctness, LoadAndAllocationFailuresAreTheCandidates) {
  FakeDeviceSettings settings;
  settings.kernel = tests::correct_kernel();
  settings.load_failure = model::Failure{Status::launch_error, "no_binary", {}};
  EXPECT_EQ(run(settings).gates.at(0).failure->reason, "no_binary");
  settings.load_failure.reset();
  settings.allocate_failure = model::Failure{Status::launch_error, "out_of_memory", {}};
  EXPECT_EQ(run(settings).gates.at(0).failure->reason, "out_of_memory");
}

TEST(Correctness, AJobThatCouldProveNothingIsRefused) {
  FakeDeviceSettings settings;
  settings.kernel = tests::correct_kernel();
  DeviceJob job = tests::vector_add_job();
  job.cases.clear();
  EXPECT_THROW(run(settings, job), model::Exception);
  job = tests::vector_add_job();
  job.input_sets.clear();
  EXPECT_THROW(run(settings, job), model::Exception);
  job = tests::vector_add_job();
  job.oracle = "no such";
  EXPECT_THROW(run(settings, job), model::Exception);
}

// All that is wrong with one launch is told, the gravest first.
TEST(Correctness, EvidenceIsComplete) {
  FakeDeviceSettings settings;
  settings.kernel = tests::only([](FakeLaunch& launch) {
    launch.pointer<float>(0)[0] += 1;
    launch.pointer<float>(2)[-1] = 4;
  });
  const DeviceResult result = run(settings);
  ASSERT_EQ(result.gates[0].failure->evidence.size(), 3U);
  EXPECT_EQ(result.gates[0].failure->evidence[0].kind, "guard_overwritten");
  EXPECT_EQ(result.gates[0].failure->evidence[1].kind, "input_modified");
  EXPECT_EQ(result.gates[0].failure->evidence[2].kind, "unwritten");
}

TEST(Correctness, InputsThatTheDeviceKnowsAreNotCopiedAndOnesThatChangedAreRefused) {
  FakeDeviceSettings settings;
  settings.digests = true;
  settings.kernel = tests::correct_kernel();
  EXPECT_TRUE(run(settings).gates[0].pass());
  EXPECT_GT(settings.log->unchanged, 0);
  for (const std::size_t input : {0, 1}) {
    settings.kernel = tests::add_then([input](FakeLaunch& launch) {
      float* const last = launch.pointer<float>(input) + launch.bytes(input) / sizeof(float) - 1;
      *last += 1;
    });
    const DeviceResult result = run(settings);
    ASSERT_FALSE(result.gates[0].pass());
    EXPECT_EQ(result.gates[0].failure->reason, "input_modified");
  }
}

TEST(Correctness, RepeatedOutputsThatTheDeviceKnowsAreNotCopiedAndOtherBitsAreRefused) {
  FakeDeviceSettings settings;
  settings.digests = true;
  DeviceJob job = tests::vector_add_job();
  job.timed_cases.clear();
  int launches = 0;
  settings.kernel = tests::add_then([&launches](FakeLaunch&) { ++launches; });
  ASSERT_TRUE(run(settings, job).gates[0].pass());
  const int all = launches;
  launches = 0;
  settings.kernel = tests::add_then([&launches, all](FakeLaunch& launch) {
    // Correct, and other bits, in the last of the repeated launches.
    if (++launches == all) out(launch, 0) = std::nextafter(out(launch, 0), 1e9F);
  });
  const DeviceResult result = run(settings, job);
  ASSERT_FALSE(result.gates[0].pass());
  EXPECT_EQ(result.gates[0].failure->status, Status::nondeterministic);
  EXPECT_EQ(result.gates[0].failure->reason, "repeat_differs");
}

TEST(Correctness, TheGravestReasonCountsWhateverTheOrderOfTheArguments) {
  DeviceJob job = tests::vector_add_job();
  for (model::Case& bound : job.cases) std::swap(bound.arguments[0], bound.arguments[2]);  // c, b, a
  FakeDeviceSettings settings;
  settings.kernel = tests::only([](FakeLaunch& launch) { launch.pointer<float>(2)[0] += 1; });
  const DeviceResult result = run(settings, job);
  EXPECT_EQ(result.gates[0].failure->reason, "input_modified");
  ASSERT_EQ(result.gates[0].failure->evidence.size(), 2U);
  EXPECT_EQ(result.gates[0].failure->evidence[0].kind, "input_modified");
  EXPECT_EQ(result.gates[0].failure->evidence[1].kind, "unwritten");
}

TEST(Correctness, ToleranceOfASetCanBeWider) {
  FakeDeviceSettings settings;
  settings.kernel = tests::add_then([](FakeLaunch& launch) { out(launch, 0) *= 1 + 3e-6F; });
  DeviceJob job = tests::vector_add_job();
  job.timed_cases.clear();
  job.cases = {tests::vector_add_case(1)};
  job.input_sets = {{"normal", "normal", {}}};
  EXPECT_FALSE(run(settings, job).gates[0].pass());
  job.input_sets[0].parameters["tolerance_factor"] = 100;
  EXPECT_TRUE(run(settings, job).gates[0].pass());
  job.input_sets[0].parameters["exact"] = 1;
  EXPECT_FALSE(run(settings, job).gates[0].pass());
}

}  // namespace
}  // namespace evo::evaluators::gates
