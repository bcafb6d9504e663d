#include "evaluators/measure/peeking.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "evaluators/measure/effect_size.hpp"
#include "model/random.hpp"

namespace evo::evaluators::measure {
namespace {

TEST(Peeking, LooksOnlyWhereItWasPlanned) {
  const LookPlan plan{0.05, {4, 8}};
  std::vector<double> logs{0.1, 0.2, 0.1};
  EXPECT_FALSE(look(plan, logs));
  logs.push_back(0.2);
  const auto seen = look(plan, logs);
  ASSERT_TRUE(seen);
  EXPECT_DOUBLE_EQ(seen->interval[1], ratio_interval(logs, 1 - 0.05 / 2).interval[1])
      << "its share of the error";
  logs.push_back(0.1);
  EXPECT_FALSE(look(plan, logs));
  EXPECT_FALSE(look({0.05, {}}, logs));
}

/// How often one of the looks at samples of mean zero excludes zero.
double alarms(const LookPlan& plan, bool at_every_sample) {
  model::RandomStream stream({.seed = 5, .generation = 0, .slot = 0, .purpose = "peeking"});
  int wrong = 0;
  constexpr int runs = 4000;
  for (int run = 0; run < runs; ++run) {
    std::vector<double> logs;
    bool alarmed = false;
    while (logs.size() < plan.last() && !alarmed) {
      logs.push_back(0.01 * stream.normal());
      auto seen = look(plan, logs);
      if (at_every_sample && logs.size() > 2) seen = ratio_interval(logs, 1 - plan.error);
      alarmed = seen && (seen->interval[0] > 1 || seen->interval[1] < 1);
    }
    wrong += alarmed ? 1 : 0;
  }
  return wrong / static_cast<double>(runs);
}

TEST(Peeking, ErrorHoldsOverAllLooks) {
  const LookPlan plan{0.05, {6, 8, 12, 16, 24, 32, 48, 64}};
  EXPECT_LE(alarms(plan, false), 0.05);
  EXPECT_GE(alarms(plan, false), 0.01) << "it is not so careful that nothing is ever found";
  EXPECT_GT(alarms(plan, true), 0.15) << "what a plain interval at every sample comes to";
}

using Samples = std::vector<double>;

TEST(EffectSize, HedgesGOfKnownSamples) {
  // Means 2 and 4, both with variance 1: 2 standard deviations, times 1 - 3 / (4 * 4 - 1).
  EXPECT_DOUBLE_EQ(hedges_g(Samples{1, 2, 3}, Samples{3, 4, 5}), 2 * (1 - 3.0 / 15));
  EXPECT_DOUBLE_EQ(hedges_g(Samples{3, 4, 5}, Samples{1, 2, 3}), -2 * (1 - 3.0 / 15));
  EXPECT_EQ(hedges_g(Samples{2, 2}, Samples{2, 2}), 0);
  EXPECT_TRUE(std::isinf(hedges_g(Samples{2, 2}, Samples{3, 3})));
  EXPECT_TRUE(std::isnan(hedges_g(Samples{2}, Samples{3, 3})));
}

TEST(EffectSize, CliffsDeltaIsTheShareOfPairs) {
  EXPECT_DOUBLE_EQ(cliffs_delta(Samples{1, 2}, Samples{3, 4}), 1);
  EXPECT_DOUBLE_EQ(cliffs_delta(Samples{3, 4}, Samples{1, 2}), -1);
  EXPECT_DOUBLE_EQ(cliffs_delta(Samples{1, 2}, Samples{1, 2}), 0);
  EXPECT_DOUBLE_EQ(cliffs_delta(Samples{1, 3}, Samples{2, 4}), 0.5);
  EXPECT_TRUE(std::isnan(cliffs_delta(Samples{}, Samples{2})));
}

Samples normal(std::size_t count, double step = 0, double jump = 0) {
  model::RandomStream stream({.seed = 3, .generation = 0, .slot = 0, .purpose = "oddities"});
  Samples samples;
  for (std::size_t i = 0; i < count; ++i)
    samples.push_back(10 + 0.1 * stream.normal() + step * static_cast<double>(i) +
                      (stream.chance(0.5) ? jump : 0));
  return samples;
}

TEST(Oddities, OfEachKind) {
  EXPECT_TRUE(oddities(normal(64)).empty());
  EXPECT_EQ(oddities(normal(64, 0, 2)), std::vector<std::string>{"bimodal"});
  EXPECT_EQ(oddities(normal(64, 0.01)), std::vector<std::string>{"drifting"});
  Samples coarse(64, 5.0);
  for (std::size_t i = 0; i < coarse.size(); ++i) coarse[i] += 0.1 * static_cast<double>(i % 3);
  EXPECT_EQ(oddities(coarse), std::vector<std::string>{"few_distinct"});
  EXPECT_TRUE(oddities(normal(8, 1)).empty()) << "too few to say";
}

}  // namespace
}  // namespace evo::evaluators::measure
