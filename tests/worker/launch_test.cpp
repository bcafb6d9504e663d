// What a program that watches this process gets to see.
#include "evaluators/worker/launch_main.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include "model/error.hpp"
#include "tests/gates/jobs.hpp"
#include "tests/support/known.hpp"

namespace evo::evaluators::worker {
namespace {

TEST(LaunchCases, EveryCaseOnceOnFreshBuffersThatNobodyWroteBefore) {
  tests::FakeDeviceSettings settings;
  const auto log = settings.log;
  std::set<devices::BufferId> outputs;
  int launches = 0;
  settings.kernel = tests::add_then([&](tests::FakeLaunch& launch) {
    ++launches;
    outputs.insert(launch.buffer(2));
    EXPECT_NE(launch.pointer<float>(0)[0], 0.0F) << "inputs are there";
  });
  {
    tests::FakeDevice device(settings);
    std::ostringstream out;
    EXPECT_EQ(launch_cases(device, tests::vector_add_job(), evo::tests::known(), out), 0);
    EXPECT_EQ(out.str(), "launched even\nlaunched odd\nlaunched one\n");
    EXPECT_EQ(log->synchronisations, 3);
  }
  EXPECT_EQ(launches, 3);
  EXPECT_EQ(outputs.size(), 3U);
  EXPECT_TRUE(log->poisons.empty()) << "a poisoned output would hide a read of what nobody wrote";
  EXPECT_TRUE(log->shared_fills.empty());
}

TEST(LaunchCases, TheFirstFailureEndsItAndIsTold) {
  tests::FakeDeviceSettings settings;
  settings.kernel = [](tests::FakeLaunch& launch) -> devices::Outcome<devices::LaunchReport> {
    if (launch.index == 1)
      return tl::make_unexpected(model::Failure{model::Status::device_fault, "illegal_address", {}});
    return devices::LaunchReport{};
  };
  tests::FakeDevice device(settings);
  std::ostringstream out;
  EXPECT_EQ(launch_cases(device, tests::vector_add_job(), evo::tests::known(), out), 1);
  EXPECT_EQ(out.str(), "launched even\nfailed odd: illegal_address\n");
}

TEST(LaunchCases, AJobWithNothingToLaunchIsRefused) {
  tests::FakeDevice device({.kernel = tests::correct_kernel()});
  gates::DeviceJob job = tests::vector_add_job();
  job.cases.clear();
  std::ostringstream out;
  EXPECT_THROW(static_cast<void>(launch_cases(device, job, evo::tests::known(), out)), model::Exception);
}

TEST(LaunchMain, WantsAGpuAndAFile) {
  EXPECT_THROW(static_cast<void>(launch_main({"virtual", "/dev/null"}, evo::tests::known())),
               model::Exception);
  EXPECT_THROW(static_cast<void>(launch_main({"cuda:0", "/no/such/file"}, evo::tests::known())),
               model::Exception);
}

}  // namespace
}  // namespace evo::evaluators::worker
