// Effects that are estimated together: what a marginal mean confuses, they tell apart or call unknown.
#include "engine/joint_effects.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "model/random.hpp"

namespace evo::engine {
namespace {

model::Genome genome_of(std::int64_t a, std::int64_t b, std::int64_t c) {
  return model::Genome({{"A", a}, {"B", b}, {"C", c}});
}

TrialRecord correct_trial(const model::Genome& genome, double log_latency) {
  TrialRecord trial;
  trial.template_name = "t";
  trial.genome = genome;
  trial.status = model::Status::correct_slower;
  trial.latencies = {
      {"w", 1, {model::LatencyKind::measured, std::exp(log_latency), std::nullopt, 9, "fake"}}};
  return trial;
}

/// 2 percent of noise; `share`: how often B follows A.
std::vector<TrialRecord> history(std::uint64_t seed, int trials, double share, double level, double pair) {
  model::RandomStream draws({.seed = seed, .generation = 0, .slot = 0, .purpose = "joint effects test"});
  std::vector<TrialRecord> all;
  for (int i = 0; i < trials; ++i) {
    const auto a = static_cast<std::int64_t>(draws.below(2));
    const std::int64_t b = draws.chance(share) ? a : static_cast<std::int64_t>(draws.below(2));
    const auto c = static_cast<std::int64_t>(draws.below(2));
    const double mean = level - 0.3 * static_cast<double>(a) + pair * static_cast<double>(a * c);
    all.push_back(correct_trial(genome_of(a, b, c), mean + 0.02 * draws.normal()));
  }
  return all;
}

JointFit fit(const std::vector<std::vector<TrialRecord>>& runs) {
  std::vector<std::span<const TrialRecord>> spans(runs.begin(), runs.end());
  return joint_effects(spans, "t", genome_of(0, 0, 0));
}

const JointEffect* effect_of(const JointFit& found, const model::Environment& values) {
  for (const JointEffect& effect : found.effects)
    if (effect.values == values) return &effect;
  return nullptr;
}

const model::Value one = std::int64_t{1};

TEST(JointEffects, AGeneThatRidesAlongGetsNothing) {
  const JointFit found = fit({history(1, 120, 0.8, 3, 0)});
  ASSERT_TRUE(effect_of(found, {{"A", one}}) && effect_of(found, {{"B", one}}));
  EXPECT_NEAR(effect_of(found, {{"A", one}})->effect, -0.3, 0.03);
  EXPECT_TRUE(effect_of(found, {{"A", one}})->significant());
  EXPECT_FALSE(effect_of(found, {{"B", one}})->significant());
  EXPECT_EQ(found.effects.size(), 3U);
}

TEST(JointEffects, WhatAlwaysOccursTogetherIsNotBlamed) {
  const JointFit found = fit({history(2, 120, 1, 3, 0)});
  EXPECT_FALSE(effect_of(found, {{"A", one}})->significant());
  EXPECT_FALSE(effect_of(found, {{"B", one}})->significant());
}

TEST(JointEffects, APairIsFoundBesideItsGenes) {
  const JointFit found = fit({history(3, 120, 0, 3, -0.2)});
  const JointEffect* pair = effect_of(found, {{"A", one}, {"C", one}});
  ASSERT_TRUE(pair);
  EXPECT_NEAR(pair->effect, -0.2, 0.05);
  EXPECT_FALSE(effect_of(found, {{"C", one}})->significant());
}

TEST(JointEffects, RunsOfDifferentDaysHaveLevelsOfTheirOwn) {
  const JointFit found = fit({history(4, 60, 0, 3, 0), history(5, 60, 0, 4, 0)});
  EXPECT_EQ(found.trials, 120);
  EXPECT_NEAR(effect_of(found, {{"A", one}})->effect, -0.3, 0.03);
  EXPECT_NEAR(found.noise, 0.02, 0.005);
}

TEST(JointEffects, NothingIsFoundInNothing) {
  int significant = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    std::vector<TrialRecord> all = history(seed, 80, 0, 3, 0);
    model::RandomStream draws({.seed = seed, .generation = 0, .slot = 0, .purpose = "nothing"});
    for (TrialRecord& trial : all) trial.latencies[0].latency.microseconds = std::exp(0.02 * draws.normal());
    for (const JointEffect& effect : fit({all}).effects) significant += effect.significant() ? 1 : 0;
  }
  // 5 % of the fits at most may name one.
  EXPECT_LE(significant, 14);
}

TEST(JointEffects, AFewTrialsSayNothing) {
  EXPECT_TRUE(fit({history(6, 7, 0, 3, 0)}).effects.empty());
  EXPECT_TRUE(fit({{}}).effects.empty());
}

}  // namespace
}  // namespace evo::engine
