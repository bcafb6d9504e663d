// What a program that watches this process gets to see.
#include "evaluators/worker/launch_main.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include <boost/json.hpp>

#include "evaluators/worker/counted_launches.hpp"
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

TEST(CountedLaunches, SamplesAreOfLaunchesBehindTheFirstOne) {
  tests::FakeDeviceSettings settings;
  int launches = 0;
  settings.kernel = tests::add_then([&](tests::FakeLaunch&) { ++launches; });
  tests::FakeDevice device(settings);
  LaunchCounter counter;
  counter.method = "a fake";
  counter.sample = [&](const std::function<bool()>& work) -> tl::expected<cuda::LaunchSamples, std::string> {
    const int before = launches;
    cuda::LaunchSamples samples;
    samples.places = {{"add", 16, "k.cu", 7, {{"wait", 3}}}};
    EXPECT_TRUE(work());
    EXPECT_TRUE(work());
    EXPECT_EQ(launches, before + 2);
    samples.all = 3;
    samples.repetitions = 2;
    return samples;
  };
  std::ostringstream out;
  EXPECT_EQ(count_launches(device, tests::vector_add_job(), evo::tests::known(), counter, out), 0);
  EXPECT_EQ(launches, 9) << "three cases, each warmed up once";
  const std::string said = out.str();
  const std::size_t at = said.find("samples {");
  ASSERT_NE(at, std::string::npos) << said;
  const auto document = boost::json::parse(said.substr(at + 8, said.find('\n', at) - at - 8));
  EXPECT_EQ(document.at("cases").as_array().size(), 3U);
  const auto& place = document.at("cases").at(0).at("places").at(0);
  EXPECT_EQ(place.at("line").as_int64(), 7);
  EXPECT_EQ(place.at("stalls").at("wait").to_number<int>(), 3);
  EXPECT_EQ(said.find("counters {"), std::string::npos);

  counter.sample = [](const auto&) -> tl::expected<cuda::LaunchSamples, std::string> {
    return tl::unexpected(std::string("nobody may"));
  };
  std::ostringstream refused;
  EXPECT_EQ(count_launches(device, tests::vector_add_job(), evo::tests::known(), counter, refused), 1);
  EXPECT_NE(refused.str().find("no_counters nobody may"), std::string::npos);
}

/// Counts what runs: a row for each launch, its number.
LaunchCounter numbering(const int& launches) {
  LaunchCounter counter;
  counter.method = "a fake";
  counter.metrics = {"a.metric"};
  counter.count = [&launches](std::size_t kernels, const std::function<bool()>& work)
      -> tl::expected<std::vector<std::vector<double>>, std::string> {
    const int before = launches;
    EXPECT_TRUE(work());
    EXPECT_EQ(static_cast<std::size_t>(launches - before), kernels) << "a row for each";
    std::vector<std::vector<double>> rows;
    for (std::size_t i = 0; i < kernels; ++i) rows.push_back({static_cast<double>(i)});
    return rows;
  };
  return counter;
}

boost::json::array counted_cases(const std::string& said) {
  const std::size_t at = said.find("counters {");
  if (at == std::string::npos) return {};
  return boost::json::parse(said.substr(at + 9, said.find('\n', at) - at - 9)).at("cases").as_array();
}

TEST(CountedLaunches, OfSeveralTheFirstIsLeftOutAndOneStandsBehindOne) {
  tests::FakeDeviceSettings settings;
  int launches = 0;
  settings.kernel = tests::add_then([&](tests::FakeLaunch&) { ++launches; });
  tests::FakeDevice device(settings);
  gates::DeviceJob job = tests::vector_add_job();
  job.cases.resize(1);
  LaunchCounter counter = numbering(launches);
  for (const int wanted : {1, 4}) {
    launches = 0;
    counter.launches = wanted;
    std::ostringstream out;
    ASSERT_EQ(count_launches(device, job, evo::tests::known(), counter, out), 0);
    const boost::json::array cases = counted_cases(out.str());
    ASSERT_EQ(cases.size(), 1U) << out.str();
    const boost::json::array values = cases.at(0).at(0).at("a.metric").as_array();
    EXPECT_EQ(values.size(), static_cast<std::size_t>(wanted));
    EXPECT_EQ(values.at(0).to_number<double>(), wanted == 1 ? 0 : 1) << "behind the profiler's own work";
    if (wanted == 1) {
      EXPECT_EQ(launches, 2);
    }
    if (wanted == 4) {
      EXPECT_GT(launches, 2 + 5) << "the clocks are brought up";
    }
  }
}

TEST(CountedLaunches, WhoeverWatchesIsToldOfThoseThatCountAlone) {
  tests::FakeDeviceSettings settings;
  int launches = 0, watched = 0;
  bool watching = false;
  settings.kernel = tests::add_then([&](tests::FakeLaunch&) {
    ++launches;
    watched += watching ? 1 : 0;
  });
  tests::FakeDevice device(settings);
  LaunchCounter counter;
  counter.launches = 3;
  counter.watched = [&](bool begins) { watching = begins; };
  std::ostringstream out;
  EXPECT_EQ(count_launches(device, tests::vector_add_job(), evo::tests::known(), counter, out), 0);
  EXPECT_EQ(watched, 3 * (1 + 3)) << "three cases; the first of several is seen, and left out by who reads";
  EXPECT_GT(launches, watched);
  EXPECT_FALSE(watching);
  EXPECT_NE(out.str().find("took "), std::string::npos);
}

TEST(LaunchMain, WantsAGpuAndAFile) {
  EXPECT_THROW(static_cast<void>(launch_main({"virtual", "/dev/null"}, evo::tests::known())),
               model::Exception);
  EXPECT_THROW(static_cast<void>(launch_main({"cuda:0", "/no/such/file"}, evo::tests::known())),
               model::Exception);
}

}  // namespace
}  // namespace evo::evaluators::worker
