// Which GPUs of a farm's workers a run gets.
#include "session/farm_gpu.hpp"

#include <gtest/gtest.h>

#include "session/farm_build.hpp"
#include "tests/support/vector_add_experiment.hpp"

namespace evo::session {
namespace {

farm::Gpu gpu(const std::string& name, const std::string& arch, int threads,
              const std::string& driver = "1") {
  farm::Gpu made;
  made.info = {"cuda", name, arch, driver, ""};
  made.build = farm_build(made.info);
  made.worker = "w";
  made.threads = threads;
  return made;
}

/// For an L4.
model::Experiment for_an_l4() {
  model::Experiment made = tests::vector_add_experiment();
  made.target.name = "l4";
  made.target.arch = "sm_89";
  model::TargetProfile own = made.target;
  own.device_names = {"NVIDIA L4"};
  made.known_targets = {own};
  return made;
}

TEST(FarmGpu, TheTargetsOwnModelComesBeforeTheLargerNumber) {
  const auto chosen =
      choose_farm_gpu({gpu("NVIDIA H200", "sm_90", 32), gpu("NVIDIA L4", "sm_89", 4)}, for_an_l4());
  ASSERT_TRUE(chosen);
  EXPECT_EQ(chosen->info.name, "NVIDIA L4");
}

TEST(FarmGpu, OfOthersThoseWithTheMostThreads) {
  const auto chosen = choose_farm_gpu(
      {gpu("A", "sm_90", 8), gpu("B", "sm_90", 6), gpu("B", "sm_90", 6), gpu("A", "sm_90", 3, "2")},
      for_an_l4());
  ASSERT_TRUE(chosen);
  EXPECT_EQ(chosen->info.name, "B");
}

TEST(FarmGpu, OldOnesAndOtherBuildsAreLeftOut) {
  farm::Gpu other = gpu("NVIDIA L4", "sm_89", 8);
  other.build.evo += " of another day";
  const auto none = choose_farm_gpu({gpu("NVIDIA A100", "sm_80", 8), other}, for_an_l4());
  ASSERT_FALSE(none);
  EXPECT_NE(none.error().find("NVIDIA A100"), std::string::npos);
  EXPECT_NE(none.error().find("another day"), std::string::npos);
  EXPECT_TRUE(choose_farm_gpu({other, gpu("NVIDIA L4", "sm_89", 1)}, for_an_l4()));
  EXPECT_FALSE(choose_farm_gpu({}, for_an_l4()));
}

}  // namespace
}  // namespace evo::session
