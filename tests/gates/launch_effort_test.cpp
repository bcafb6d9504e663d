// A launch that never ends is told from one that takes long by those that did end.
#include "evaluators/gates/launch_effort.hpp"

#include <gtest/gtest.h>

namespace evo::evaluators::gates {
namespace {

model::Case sized(std::int64_t n, std::int64_t m) {
  model::Case bound;
  bound.axes = {{"n", n}, {"m", m}};
  return bound;
}

TEST(LaunchEffort, OneAtHalfTheSizesTellsWhatNeverEnds) {
  LaunchEffort effort;
  EXPECT_FALSE(effort.is_endless(sized(256, 8), 0, 640000)) << "nothing has ended yet";
  effort.ended(sized(200, 4), 0, 10000);
  EXPECT_TRUE(effort.is_endless(sized(256, 8), 0, 640000));
  EXPECT_FALSE(effort.is_endless(sized(256, 8), 0, 639999)) << "work may grow so fast";
  EXPECT_FALSE(effort.is_endless(sized(401, 8), 0, 640000)) << "more than twice the size";
  EXPECT_FALSE(effort.is_endless(sized(256, 8), 1, 640000)) << "other data";
  model::Case scaled = sized(256, 8);
  scaled.arguments.resize(1);
  scaled.undeclared_scalar = 0;
  EXPECT_FALSE(effort.is_endless(scaled, 0, 640000)) << "another scalar";
  EXPECT_FALSE(effort.is_endless(sized(256, 9), 0, 640000));
  effort.ended(sized(1, 1000), 0, 10);
  EXPECT_FALSE(effort.is_endless(sized(256, 9), 0, 640000))
      << "two launches say nothing of both sizes at once";
}

TEST(LaunchEffort, ABlockIsGivenAShareOfTheLaunch) {
  model::Case bound = sized(1, 1);
  bound.launch.grid = {1024, 1, 1};
  EXPECT_EQ(LaunchEffort::of_a_block(bound, 5'000'000'000), 16 * (5'000'000'000 / 1024));
  bound.launch.grid = {1, 1, 1};
  EXPECT_EQ(LaunchEffort::of_a_block(bound, 5'000'000'000), 5'000'000'000);
}

TEST(LaunchEffort, ACrowdIsCountedOverAllKernels) {
  model::Case bound = sized(1, 1);
  bound.launch.grid = {1024, 1, 1};
  bound.launch.block = {256, 1, 1};
  EXPECT_FALSE(LaunchEffort::is_crowd(bound));
  bound.launch.grid = {1024, 2, 1};
  EXPECT_TRUE(LaunchEffort::is_crowd(bound));
  model::LaunchPlan large = bound.launch;
  bound.launch.grid = {1, 1, 1};
  bound.launch.then.push_back(large);
  EXPECT_TRUE(LaunchEffort::is_crowd(bound));
}

TEST(LaunchEffort, WhatIsLeftOutIsSaid) {
  LaunchEffort effort;
  EXPECT_FALSE(effort.note());
  effort.left_out(sized(7, 5));
  effort.left_out(sized(9, 9));
  const auto note = effort.note();
  ASSERT_TRUE(note);
  EXPECT_EQ(note->kind, "took_too_long");
  EXPECT_EQ(note->details,
            (std::vector<std::pair<std::string, std::string>>{{"launches", "2"}, {"axes", "m=5,n=7"}}));
}

}  // namespace
}  // namespace evo::evaluators::gates
