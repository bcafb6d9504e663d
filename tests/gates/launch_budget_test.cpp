#include "evaluators/gates/launch_budget.hpp"

#include <gtest/gtest.h>

namespace evo::tests {
namespace {

TEST(LaunchBudget, FollowsTheWorkUpToTheSettings) {
  model::GateSettings settings;
  model::Case small;
  small.flops = 1000;
  small.bytes = 12000;
  small.launch.grid = {4, 1, 1};
  small.launch.block = {64, 1, 1};
  const std::uint64_t few = evaluators::gates::launch_budget(settings, small);
  EXPECT_LT(few, settings.instruction_budget / 10);
  // A loop of thousands of instructions for every thread is no hang.
  EXPECT_GT(few, 10'000U * 256);
  model::Case large = small;
  large.flops = 1e10;
  EXPECT_EQ(evaluators::gates::launch_budget(settings, large), settings.instruction_budget);
  settings.instruction_budget = 1000;
  EXPECT_EQ(evaluators::gates::launch_budget(settings, small), 1000U);
}

}  // namespace
}  // namespace evo::tests
