// Launches of long shapes on the virtual device: which are looked at, how much of them, and which are a
// fault.
#include "evaluators/gates/stretched_launch.hpp"

#include <gtest/gtest.h>

#include "evaluators/gates/block_sample.hpp"
#include "tests/gates/jobs.hpp"

namespace evo::evaluators::gates {
namespace {

/// What a launch of a stretched case says that ends with `failure`.
Outcome<bool> ends(const model::Failure& failure) {
  tests::FakeDeviceSettings settings;
  settings.info.kind = "virtual";
  settings.kernel = [&](tests::FakeLaunch&) -> devices::Outcome<devices::LaunchReport> {
    return tl::make_unexpected(failure);
  };
  tests::FakeDevice device(settings);
  DeviceJob job = tests::vector_add_job();
  job.uses = {CaseUse::stretched};
  oracle::ReferenceCache cache{oracle::Catalogue{}};
  const auto module = device.load(job.artifact);
  auto buffers = CaseBuffers::create(device, job.cases[0], in_turn(job.cases[0], 0));
  EXPECT_TRUE(module && buffers);
  return ends_in_time({device, *module, job, cache}, Check{}, *buffers);
}

model::Failure timeout(std::vector<std::pair<std::string, std::string>> details) {
  model::Failure failure;
  failure.status = model::Status::timeout;
  failure.reason = "hang";
  model::Evidence item;
  item.kind = "hang";
  item.details = std::move(details);
  failure.evidence = {item};
  return failure;
}

TEST(StretchedLaunch, ALoopWithoutAWayOutIsNotSlow) {
  const auto slow = ends(timeout({}));
  ASSERT_TRUE(slow);
  EXPECT_FALSE(*slow) << "left out";
  const auto endless = ends(timeout({{"endless", "true"}}));
  ASSERT_FALSE(endless);
  EXPECT_EQ(endless.error().reason, "hang");
}

TEST(BlockSample, OfAHeavyCrossedCaseOneLaunchRunsWhole) {
  DeviceJob job = tests::vector_add_job();
  job.uses = {CaseUse::crossed};
  job.cases[0].flops = 8e6;
  job.cases[0].launch.grid = {4096, 1, 1};
  const auto sampled = [&](bool first) {
    model::RandomStream stream({3, 0, 0, "sample"});
    return !sample_blocks(job, 0, {first, first}, stream).empty();
  };
  EXPECT_FALSE(sampled(true));
  EXPECT_TRUE(sampled(false));
  job.cases[0].flops = 1e8;
  EXPECT_TRUE(sampled(true)) << "beyond what is run whole";
  job.cases[0].flops = 8e6;
  job.whole_launches = false;
  EXPECT_TRUE(sampled(true)) << "in a search";
}

}  // namespace
}  // namespace evo::evaluators::gates
