// A device may refuse a launch, or say only when it is awaited or read that a launch before went wrong.
// Whenever that happens in a job, it is the verdict.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "evaluators/gates/first_outputs.hpp"
#include "tests/gates/jobs.hpp"
#include "tests/support/known.hpp"

namespace evo::evaluators::gates {
namespace {

using model::Failure;
using model::Status;
using tests::FakeDevice;
using tests::FakeDeviceSettings;
using tests::FakeLaunch;
using tests::FakeLog;

/// Launches of the job so far when each part of it begins: nine checks, of which eight are awaited together,
/// ten launches alone and ten back to back, perturbed ones, and behind the timed ones those on swapped
/// inputs.
constexpr int together = 8, checks = 9, repeats = 20, perturbed = 40;

std::string reason_of(FakeDeviceSettings settings) {
  DeviceJob job = tests::vector_add_job();
  job.perturbed_launches = perturbed;
  FakeDevice device(std::move(settings));
  const DeviceResult result = run_device_job(device, job, evo::tests::known());
  return result.gates.back().failure ? result.gates.back().failure->reason : "passed";
}

// Each at its last chance: what waits for these launches is the only one that hears of it.
TEST(DeviceTrouble, WhatShowsWhenALaunchIsAwaitedIsTheVerdict) {
  for (const int at : {together, checks, checks + 4, checks + 18, checks + repeats + perturbed,
                       checks + repeats + perturbed + 8}) {
    FakeDeviceSettings settings;
    settings.kernel = tests::correct_kernel();
    settings.says_when_awaited = [at](const FakeLog& seen) -> std::optional<Failure> {
      const bool timed = at > checks + repeats + perturbed;
      if (seen.launches != at || (seen.timings > 0) != timed) return std::nullopt;
      return Failure{Status::device_fault, "illegal_address", {}};
    };
    EXPECT_EQ(reason_of(settings), "illegal_address") << "behind launch " << at;
  }
}

TEST(DeviceTrouble, ALaunchThatIsRefusedIsTheVerdict) {
  for (const int at :
       {3, checks + 4, checks + repeats - 1, checks + repeats + 30, checks + repeats + perturbed + 2}) {
    FakeDeviceSettings settings;
    const auto log = settings.log;
    settings.kernel = [at, log](FakeLaunch& launch) -> devices::Outcome<devices::LaunchReport> {
      tests::vector_add(launch);
      if (log->launches == at && !log->being_timed)
        return tl::make_unexpected(Failure{Status::launch_error, "refused", {}});
      return devices::LaunchReport{};
    };
    EXPECT_EQ(reason_of(settings), "refused") << "launch " << at;
  }
}

TEST(DeviceTrouble, OutputsThatCannotBeReadAreNotRight) {
  for (const int at :
       {3, checks + 4, checks + repeats - 1, checks + repeats + 30, checks + repeats + perturbed + 2}) {
    FakeDeviceSettings settings;
    settings.kernel = tests::correct_kernel();
    settings.says_when_read = [at](const FakeLog& log) -> std::optional<Failure> {
      if (log.launches < at || log.launches > at + 8) return std::nullopt;
      return Failure{Status::device_fault, "illegal_address", {}};
    };
    EXPECT_EQ(reason_of(settings), "illegal_address") << "behind launch " << at;
  }
}

// None of the later ones tells: it is read again and again, and only once without an answer.
TEST(DeviceTrouble, TheOutputsOfChecksThatCannotBeReadAreNotRight) {
  for (const int at : {together, checks}) {
    FakeDeviceSettings settings;
    settings.kernel = tests::correct_kernel();
    settings.says_when_read = [at](const FakeLog& log) -> std::optional<Failure> {
      if (log.launches != at) return std::nullopt;
      return Failure{Status::device_fault, "illegal_address", {}};
    };
    EXPECT_EQ(reason_of(settings), "illegal_address") << "behind launch " << at;
  }
}

/// The evidence of the job with this kernel, all of it.
std::string details_of(FakeDeviceSettings settings) {
  FakeDevice device(std::move(settings));
  const DeviceResult result = run_device_job(device, tests::vector_add_job(), evo::tests::known());
  std::string all;
  if (!result.gates.back().failure) return all;
  for (const model::Evidence& evidence : result.gates.back().failure->evidence) {
    for (const auto& [key, value] : evidence.details) all += key + "=" + value + ";";
  }
  return all;
}

// Awaited together, launches are told apart all the same.
TEST(DeviceTrouble, OfLaunchesThatAreAwaitedTogetherTheGuiltyOneIsNamed) {
  FakeDeviceSettings lost;
  lost.kernel = [](FakeLaunch& launch) -> devices::Outcome<devices::LaunchReport> {
    tests::vector_add(launch);
    if (launch.scalar<std::int32_t>(3) == 33)
      return tl::make_unexpected(Failure{Status::device_fault, "illegal_address", {}});
    return devices::LaunchReport{};
  };
  EXPECT_THAT(details_of(lost), testing::HasSubstr("case=odd;"));
  EXPECT_THAT(details_of(lost), testing::Not(testing::HasSubstr("in one turn")));
  FakeDeviceSettings beyond;
  beyond.kernel = tests::add_then([](FakeLaunch& launch) {
    if (launch.scalar<std::int32_t>(3) == 33) launch.pointer<float>(2)[-1] = 1;
  });
  EXPECT_THAT(details_of(beyond), testing::HasSubstr("case=odd;"));
  EXPECT_THAT(details_of(beyond), testing::Not(testing::HasSubstr("case=one;")));
  EXPECT_EQ(reason_of(beyond), "guard_overwritten");
}

// A zone that one launch changes once is damage, though each by itself does nothing of the kind.
TEST(DeviceTrouble, WhatDoesNotHappenAgainOneByOneIsTheVerdict) {
  FakeDeviceSettings once;
  once.kernel = tests::add_then([](FakeLaunch& launch) {
    if (launch.index == 4) launch.pointer<float>(2)[-1] = 1;
  });
  EXPECT_EQ(reason_of(once), "guard_overwritten");
}

// What a launch leaves in a variable of the module is looked at behind each of them.
TEST(DeviceTrouble, LaunchesThatMayLeaveVariablesOtherwiseAreAwaitedOneByOne) {
  for (const bool keeps : {false, true}) {
    FakeDeviceSettings settings;
    settings.kernel = tests::correct_kernel();
    const auto log = settings.log;
    DeviceJob job = tests::vector_add_job();
    job.settings.repeated_launches = 0;
    if (keeps) job.artifact.kept.push_back({"counter", "k.cu", 3});
    FakeDevice device(std::move(settings));
    const DeviceResult result = run_device_job(device, job, evo::tests::known());
    EXPECT_FALSE(result.gates.back().failure.has_value());
    const int awaited = log->options.at(0).counted ? together : 1;
    EXPECT_EQ(awaited, keeps ? 1 : together);
  }
}

/// a = x, b = 2 x, of different sizes.
TEST(DeviceTrouble, EachOfSeveralOutputsIsComparedWithItself) {
  model::Case bound;
  bound.arguments = {tests::array_argument("x", model::ArgumentRole::input, model::DType::f32, {4}),
                     tests::array_argument("a", model::ArgumentRole::output, model::DType::f32, {4}),
                     tests::array_argument("b", model::ArgumentRole::output, model::DType::f32, {2})};
  FakeDevice device(FakeDeviceSettings{});
  auto buffers = CaseBuffers::create(device, bound, in_turn(bound, 0));
  ASSERT_TRUE(buffers.has_value());
  const auto store = [&](std::size_t argument, std::size_t element, float value) {
    const auto buffer = std::get<devices::BufferArgument>(buffers->arguments()[argument]).buffer;
    std::memcpy(device.data(buffer) + 4 * element, &value, 4);
  };
  for (std::size_t i = 0; i < 4; ++i) store(1, i, static_cast<float>(i));
  for (std::size_t i = 0; i < 2; ++i) store(2, i, 2 * static_cast<float>(i) + 7);
  FirstOutputs answer(bound);
  EXPECT_TRUE(answer.compare(buffers->read_outputs().value(), "differs", "first").has_value());
  EXPECT_TRUE(answer.compare(buffers->read_outputs().value(), "differs", "again").has_value());
  store(2, 1, 0);
  const auto differs = answer.compare(buffers->read_outputs().value(), "differs", "third");
  ASSERT_FALSE(differs.has_value());
  EXPECT_NE(differs.error().evidence.at(0).message.find("of 24 bytes, the first at byte 2"),
            std::string::npos)
      << differs.error().evidence[0].message;
  model::Case any_bits = bound;
  any_bits.arguments[2].reproducible = false;
  FirstOutputs other(any_bits);
  EXPECT_TRUE(other.compare(buffers->read_outputs().value(), "differs", "first").has_value());
  store(2, 1, 1);
  EXPECT_TRUE(other.compare(buffers->read_outputs().value(), "differs", "again").has_value());
}

}  // namespace
}  // namespace evo::evaluators::gates
