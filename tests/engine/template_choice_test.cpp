#include "engine/strategies/template_choice.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "tests/support/small_experiment.hpp"

namespace evo::engine {
namespace {

SearchSpace two_templates() {
  return make_search_space(evo::testing::small_experiment());
}

/// Trials of a template; the fastest takes `microseconds`, the others up to `spread` times as long.
void add(std::vector<TrialRecord>& trials, const char* name, int count, double microseconds, double spread,
         model::Status status = model::Status::correct_slower) {
  for (int i = 0; i < count; ++i) {
    TrialRecord trial;
    trial.template_name = name;
    trial.status = status;
    if (model::is_proven_correct(status)) trial.latencies = {{"w", 1, {}}};
    for (auto& entry : trial.latencies)
      entry.latency.microseconds = microseconds * (1 + (spread - 1) * (i % 4) / 3);
    trials.push_back(trial);
  }
}

TEST(TemplateChoice, BeforeAnyTrialAllAreAlike) {
  const auto chances = template_chances(two_templates(), {});
  ASSERT_EQ(chances.size(), 2U);
  EXPECT_DOUBLE_EQ(chances[0], 0.5);
  EXPECT_DOUBLE_EQ(chances[1], 0.5);
}

TEST(TemplateChoice, WhatIsFarBehindAfterAFairNumberOfTrialsGetsLittle) {
  std::vector<TrialRecord> trials;
  add(trials, "tiled", 20, 10, 1.3);
  add(trials, "simple", 20, 15, 1.2);
  const auto chances = template_chances(two_templates(), trials);
  EXPECT_GT(chances[0], 0.95);
  EXPECT_GT(chances[1], 0.01);
  EXPECT_NEAR(std::accumulate(chances.begin(), chances.end(), 0.0), 1, 1e-12);
}

TEST(TemplateChoice, WhatWasTriedLittleHasTheBenefitOfTheDoubt) {
  std::vector<TrialRecord> trials;
  add(trials, "tiled", 60, 10, 1.4);
  add(trials, "simple", 4, 14, 1.4);
  EXPECT_GT(template_chances(two_templates(), trials)[1], 0.4);
  add(trials, "simple", 60, 14, 1.4);
  EXPECT_LT(template_chances(two_templates(), trials)[1], 0.1);
}

TEST(TemplateChoice, WhereVariantsDifferMuchMoreIsExpectedOfATemplate) {
  const auto chance = [](double spread) {
    std::vector<TrialRecord> trials;
    add(trials, "tiled", 60, 10, 1.4);
    add(trials, "simple", 60, 14, spread);
    return template_chances(two_templates(), trials)[1];
  };
  EXPECT_GT(chance(4), chance(1.2) + 0.1);
}

TEST(TemplateChoice, ATemplateThatOnlyFailsFadesToo) {
  std::vector<TrialRecord> trials;
  add(trials, "tiled", 60, 10, 1.4);
  add(trials, "simple", 200, 0, 1, model::Status::wrong);
  EXPECT_LT(template_chances(two_templates(), trials)[1], 0.2);
}

TEST(TemplateChoice, DrawsByTheChances) {
  model::RandomStream random({1, 0, 0, "draws"});
  std::vector<int> drawn(3);
  const std::vector<double> chances{0.7, 0, 0.3};
  for (int i = 0; i < 1000; ++i) ++drawn[draw_by_chance(chances, random)];
  EXPECT_NEAR(drawn[0], 700, 60);
  EXPECT_EQ(drawn[1], 0);
}

}  // namespace
}  // namespace evo::engine
