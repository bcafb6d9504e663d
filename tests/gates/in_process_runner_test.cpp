// Jobs on devices of this process: one for each thread, and another where one is lost.
#include "evaluators/gates/in_process_runner.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>
#include <utility>

#include <gtest/gtest.h>

#include "evaluators/gates/bound_variant.hpp"
#include "tests/support/fake_device.hpp"
#include "tests/support/known.hpp"
#include "tests/support/vector_add_experiment.hpp"

namespace evo::evaluators::gates {
namespace {

using model::Gate;
using model::Status;
using tests::FakeCompiler;
using tests::FakeDevice;
using tests::FakeDeviceSettings;
using tests::FakeLaunch;

/// The experiment's workloads, as the ladder would hand them to a runner.
DeviceJob workloads_job() {
  const model::Experiment experiment = tests::vector_add_experiment();
  DeviceJob job;
  job.oracle = "vector_add";
  job.input_sets = experiment.problem.input_sets;
  job.tolerance = experiment.problem.tolerances[0];
  const TemplateContext context = make_context(experiment, experiment.problem.templates[0]);
  job.cases = bind_variant(context, tests::vector_add_variant(experiment).genome)->workloads;
  return job;
}

TEST(Runner, EachThreadHasADeviceOfItsOwn) {
  FakeDeviceSettings settings;
  settings.info.kind = "virtual";
  std::atomic<int> inside{0};
  std::atomic<int> most{0};
  settings.kernel = tests::add_then([&](FakeLaunch&) {
    most = std::max<int>(most, ++inside);
    std::this_thread::yield();
    --inside;
  });
  InProcessRunner runner(
      [&] {
        FakeDeviceSettings own = settings;
        own.log = std::make_shared<tests::FakeLog>();
        return std::make_unique<FakeDevice>(own);
      },
      evo::tests::known());
  const DeviceJob job = workloads_job();
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&] {
        for (int repetition = 0; repetition < 5; ++repetition)
          EXPECT_TRUE(runner.run(job).gates.at(0).pass());
      });
    }
  }
}

TEST(Runner, ALostDeviceIsReplaced) {
  FakeDeviceSettings settings;
  int failures = 1;
  settings.kernel = [&](FakeLaunch& launch) -> devices::Outcome<devices::LaunchReport> {
    if (failures-- > 0)
      return tl::make_unexpected(model::Failure{Status::device_fault, "illegal_address", {}});
    tests::vector_add(launch);
    return devices::LaunchReport{};
  };
  InProcessRunner runner([&] { return std::make_unique<FakeDevice>(settings); }, evo::tests::known());
  const DeviceJob job = workloads_job();
  EXPECT_EQ(settings.log->devices, 1);
  EXPECT_EQ(runner.run(job).gates.at(0).failure->status, Status::device_fault);
  EXPECT_TRUE(runner.run(job).gates.at(0).pass());
  EXPECT_EQ(settings.log->devices, 2);
  EXPECT_TRUE(runner.run(job).gates.at(0).pass());
  EXPECT_EQ(settings.log->devices, 2);
}

TEST(Runner, BehindItsLimitNoCheckIsBegunAndTheRestIsTold) {
  FakeDeviceSettings settings;
  settings.info.kind = "virtual";
  int launches = 0;
  settings.kernel = tests::add_then([&](FakeLaunch&) { ++launches; });
  const auto notes_with = [&](std::optional<std::chrono::duration<double>> limit) {
    InProcessRunner runner([&] { return std::make_unique<FakeDevice>(settings); }, evo::tests::known(),
                           1 << 20, limit);
    const DeviceResult result = runner.run(workloads_job());
    EXPECT_TRUE(result.gates.at(0).pass());
    return std::ranges::count(result.notes, time_was_up_kind, &model::Evidence::kind);
  };
  EXPECT_EQ(notes_with(std::chrono::seconds(0)), 1);
  EXPECT_EQ(launches, 0);
  EXPECT_EQ(notes_with(std::chrono::hours(1)), 0);
  EXPECT_GT(launches, 0);
  const int all = std::exchange(launches, 0);
  EXPECT_EQ(notes_with(std::nullopt), 0);
  EXPECT_EQ(launches, all);
}

TEST(Runner, WhoHasLittleTimeSeesEachWorkloadFirst) {
  FakeDeviceSettings settings;
  settings.info.kind = "virtual";
  std::vector<int> sizes;
  settings.kernel =
      tests::add_then([&](FakeLaunch& launch) { sizes.push_back(launch.scalar<std::int32_t>(3)); });
  DeviceJob job = workloads_job();
  ASSERT_EQ(job.cases.size(), 2U);
  job.workload_count = 1;
  std::swap(job.cases[0], job.cases[1]);  // the larger one is the workload
  const auto first_size = [&](std::optional<std::chrono::duration<double>> limit) {
    sizes.clear();
    InProcessRunner runner([&] { return std::make_unique<FakeDevice>(settings); }, evo::tests::known(),
                           1 << 20, limit);
    static_cast<void>(runner.run(job));
    return sizes.empty() ? 0 : sizes.front();
  };
  EXPECT_EQ(first_size(std::chrono::hours(1)), 1000);
  EXPECT_EQ(first_size(std::nullopt), 300);
}

}  // namespace
}  // namespace evo::evaluators::gates
