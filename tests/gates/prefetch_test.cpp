#include "evaluators/gates/prefetch.hpp"

#include <gtest/gtest.h>

#include "tests/gates/jobs.hpp"
#include "tests/support/known.hpp"

namespace evo::evaluators::gates {
namespace {

std::int64_t computed_on(const std::string& kind) {
  tests::FakeDeviceSettings settings;
  settings.info.kind = kind;
  tests::FakeDevice device(settings);
  const DeviceJob job = tests::vector_add_job();
  oracle::ReferenceCache cache(evo::tests::known());
  const JobContext context{device, 0, job, cache};
  const std::vector<Check> checks{{0, 0, {}}, {1, 0, {}}, {1, 1, {}}, {1, 1, {}}};
  prefetch_references(context, checks);
  return cache.usage().computed;
}

TEST(Prefetch, MakesTheDataOfEachCheckOnceForAGpuAndNoneForTheVirtualDevice) {
  EXPECT_EQ(computed_on("cuda"), 3);
  EXPECT_EQ(computed_on("virtual"), 0);
}

TEST(Prefetch, OnlyWhatIsDeclaredIsJudgedByItsOwnBounds) {
  DeviceJob job = tests::vector_add_job();
  job.input_sets.push_back({"rising", "rising", {}});
  job.uses = {CaseUse::workload, CaseUse::odd, CaseUse::changed};
  tests::FakeDevice device(tests::FakeDeviceSettings{});
  oracle::ReferenceCache cache(evo::tests::known());
  const JobContext context{device, 0, job, cache};
  EXPECT_FALSE(is_conditioned(context, {0, 0, {}}));
  EXPECT_TRUE(is_conditioned(context, {0, 3, {}})) << "a set that no problem declares";
  EXPECT_TRUE(is_conditioned(context, {2, 0, {}})) << "strides or scalars that no problem gives";
}

}  // namespace
}  // namespace evo::evaluators::gates
