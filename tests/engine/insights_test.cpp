// Insights against tables that were worked out by hand.
#include "engine/insights.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "engine/statistics.hpp"
#include "tests/engine/campaign_support.hpp"

namespace evo::engine {
namespace {

using evo::testing::integer_gene;
using evo::testing::small_template;
using model::Status;

/// Genes A and B in {1, 2}, C in {1, 2, 3}, D fixed.
SearchSpace abc_space() {
  SearchSpace space;
  model::Space genes({integer_gene("A", {1, 2}, 1), integer_gene("B", {1, 2}, 1),
                      integer_gene("C", {1, 2, 3}, 1), integer_gene("D", {7}, 7)},
                     {});
  space.templates.push_back({small_template("abc", genes), genes});
  return space;
}

TrialRecord trial(std::int64_t a, std::int64_t b, std::int64_t c, Status status, double log_latency,
                  const std::string& reason = {}) {
  TrialRecord record;
  record.template_name = "abc";
  record.genome = model::Genome({{"A", a}, {"B", b}, {"C", c}, {"D", std::int64_t{7}}});
  record.status = status;
  record.reason = reason;
  if (record.correct()) {
    record.latencies = {
        {"w", 1, {model::LatencyKind::modelled, std::exp(log_latency), std::nullopt, 0, "fake"}}};
  }
  return record;
}

const model::ValueEffect* find_effect(const model::Insights& insights, const std::string& gene,
                                      std::int64_t value) {
  for (const model::ValueEffect& effect : insights.effects) {
    if (effect.gene == gene && effect.value == model::Value(value)) return &effect;
  }
  return nullptr;
}

TEST(Insights, MainEffectsAreMarginalMeansWithWelchIntervals) {
  // A=1: 1, 2, 3 (mean 2, variance 1); A=2: 5, 7 (mean 6, variance 2); mean of all 3.6.
  const std::vector<TrialRecord> history{
      trial(1, 1, 1, Status::proven, 1), trial(1, 1, 2, Status::better, 2), trial(1, 1, 1, Status::tie, 3),
      trial(2, 1, 2, Status::correct_slower, 5), trial(2, 2, 3, Status::correct_slower, 7)};
  const model::Insights insights = compute_insights(abc_space(), history, 3);
  EXPECT_EQ(insights.generation, 3);
  EXPECT_EQ(insights.trials, 5);

  const auto* fast = find_effect(insights, "A", 1);
  const auto* slow = find_effect(insights, "A", 2);
  ASSERT_TRUE(fast && slow);
  EXPECT_NEAR(fast->effect, -1.6, 1e-12);
  EXPECT_NEAR(slow->effect, 2.4, 1e-12);
  EXPECT_EQ(fast->trials, 3);
  EXPECT_EQ(slow->trials, 2);
  // Welch: variance 1/3 + 2/2 = 4/3; degrees (4/3)^2 / ((1/3)^2 / 2 + 1) = 1.684211 and t = 5.157604 there.
  const double half = student_t_975(16.0 / 9 / (1.0 / 18 + 1)) * std::sqrt(4.0 / 3);
  EXPECT_NEAR(fast->ci95[0], -1.6 - 0.4 * half, 1e-9);
  EXPECT_NEAR(fast->ci95[1], -1.6 + 0.4 * half, 1e-9);
  EXPECT_NEAR(slow->ci95[1], 2.4 + 0.6 * half, 1e-9);

  // B=2 and C=3 occur once, D never varies: nothing is claimed about them.
  EXPECT_EQ(find_effect(insights, "B", 2), nullptr);
  EXPECT_EQ(find_effect(insights, "B", 1), nullptr);
  EXPECT_EQ(find_effect(insights, "C", 3), nullptr);
  EXPECT_EQ(find_effect(insights, "D", 7), nullptr);
  EXPECT_EQ(insights.effects.front().id, "g3-e1");
  EXPECT_EQ(insights.effects.back().id, "g3-e4");
}

TEST(Insights, OnlyProvenTrialsCountAndDuplicatesCountOnce) {
  std::vector<TrialRecord> history{trial(1, 1, 1, Status::proven, 1), trial(1, 1, 2, Status::better, 2),
                                   trial(2, 1, 1, Status::better, 3), trial(2, 1, 2, Status::better, 4)};
  const auto before = compute_insights(abc_space(), history, 1);
  TrialRecord duplicate = trial(2, 2, 3, Status::better, 9);
  duplicate.status = Status::duplicate;
  history.push_back(duplicate);
  history.push_back(trial(1, 2, 3, Status::wrong, 0, "mismatch"));
  TrialRecord other = trial(1, 1, 1, Status::better, 9);
  other.template_name = "another";
  history.push_back(other);
  EXPECT_EQ(compute_insights(abc_space(), history, 1).effects, before.effects);
}

TEST(Insights, AGeneThatDecidesEverythingHasAnIntervalOfNoWidth) {
  const std::vector<TrialRecord> history{trial(1, 1, 1, Status::proven, 1), trial(1, 2, 1, Status::better, 1),
                                         trial(2, 1, 1, Status::better, 2),
                                         trial(2, 2, 1, Status::better, 2)};
  const auto insights = compute_insights(abc_space(), history, 1);
  const auto* effect = find_effect(insights, "A", 1);
  ASSERT_TRUE(effect);
  EXPECT_DOUBLE_EQ(effect->effect, -0.5);
  EXPECT_TRUE(effect->significant());
  EXPECT_FALSE(find_effect(insights, "B", 1)->significant());
}

/// All 12 combinations of A, B, C; those that `fails` names end so.
template <class Fails>
std::vector<TrialRecord> grid(int copies, const Fails& fails) {
  std::vector<TrialRecord> history;
  for (int copy = 0; copy < copies; ++copy) {
    for (std::int64_t a = 1; a <= 2; ++a) {
      for (std::int64_t b = 1; b <= 2; ++b) {
        for (std::int64_t c = 1; c <= 3; ++c) {
          history.push_back(fails(a, b, c) ? trial(a, b, c, Status::over_budget, 0, "spills")
                                           : trial(a, b, c, Status::correct_slower, 1));
        }
      }
    }
  }
  return history;
}

TEST(Insights, AFailingValueIsReportedAlone) {
  const auto history = grid(1, [](auto, auto, auto c) { return c == 2; });
  const auto failures = compute_insights(abc_space(), history, 2).failures;
  ASSERT_EQ(failures.size(), 1u);
  EXPECT_EQ(failures[0].id, "g2-f1");
  EXPECT_EQ(failures[0].when, (model::Environment{{"C", std::int64_t{2}}}));
  EXPECT_EQ(failures[0].status, Status::over_budget);
  EXPECT_EQ(failures[0].reason, "spills");
  EXPECT_EQ(failures[0].count, 4);
  EXPECT_EQ(failures[0].of, 4);
  EXPECT_NEAR(failures[0].rate_at_least, 0.5101, 1e-4);
}

TEST(Insights, AConjunctionIsReportedWhenNeitherPartExplainsIt) {
  const auto history = grid(2, [](auto a, auto b, auto) { return a == 1 && b == 2; });
  const auto failures = compute_insights(abc_space(), history, 2).failures;
  ASSERT_EQ(failures.size(), 1u);
  EXPECT_EQ(failures[0].when, (model::Environment{{"A", std::int64_t{1}}, {"B", std::int64_t{2}}}));
  EXPECT_EQ(failures[0].count, 6);
  EXPECT_EQ(failures[0].of, 6);
}

TEST(Insights, ATripleNeedsMoreTrials) {
  const auto fails = [](auto a, auto b, auto c) { return a == 1 && b == 2 && c == 3; };
  EXPECT_TRUE(compute_insights(abc_space(), grid(5, fails), 2).failures.empty());
  const auto failures = compute_insights(abc_space(), grid(6, fails), 2).failures;
  ASSERT_EQ(failures.size(), 1u);
  EXPECT_EQ(failures[0].when.size(), 3u);
}

TEST(Insights, ThreeFailuresAreNoPattern) {
  const std::vector<TrialRecord> history{
      trial(1, 1, 1, Status::wrong, 0, "mismatch"), trial(1, 1, 1, Status::wrong, 0, "mismatch"),
      trial(1, 1, 1, Status::wrong, 0, "mismatch"), trial(2, 2, 2, Status::better, 1)};
  EXPECT_TRUE(compute_insights(abc_space(), history, 1).failures.empty());
}

TEST(Insights, EndsAreToldApart) {
  auto history = grid(1, [](auto, auto, auto c) { return c == 2; });
  for (TrialRecord& record : history) {
    if (record.correct() && record.genome.at("A") == model::Value(std::int64_t{2})) {
      record.status = Status::wrong;
      record.reason = "mismatch";
    }
  }
  const auto failures = compute_insights(abc_space(), history, 1).failures;
  ASSERT_EQ(failures.size(), 1u) << "A=2 is wrong in 4 of 6: not certain enough";
  EXPECT_EQ(failures[0].reason, "spills");
}

TEST(Insights, WhenEverythingFailsNoValueIsToBlame) {
  const auto history = grid(3, [](auto, auto, auto) { return true; });
  EXPECT_TRUE(compute_insights(abc_space(), history, 1).failures.empty());
}

TEST(Insights, NothingIsKnownOfAnEmptyHistory) {
  EXPECT_TRUE(compute_insights(abc_space(), {}, 1).empty());
}

TEST(Diversity, IsTheMeanShareOfDifferingGenes) {
  const auto a = trial(1, 1, 1, Status::better, 1);
  const auto b = trial(1, 2, 1, Status::better, 1);  // 1 of 4 genes
  const auto c = trial(2, 2, 2, Status::better, 1);  // 3 of 4 from a, 2 of 4 from b
  EXPECT_EQ(diversity(std::vector{a}), 0);
  EXPECT_EQ(diversity(std::vector{a, a}), 0);
  EXPECT_DOUBLE_EQ(diversity(std::vector{a, b, c}), (0.25 + 0.75 + 0.5) / 3);
  auto other = a;
  other.template_name = "another";
  EXPECT_EQ(diversity(std::vector{a, other}), 1);
}

TEST(Statistics, AgreeWithTables) {
  EXPECT_NEAR(student_t_975(1), 12.7062, 1e-4);
  EXPECT_NEAR(student_t_975(10), 2.22814, 1e-5);
  EXPECT_NEAR(student_t_975(1e6), 1.95997, 1e-5);
  EXPECT_NEAR(wilson_lower(4, 4), 0.510109, 1e-6);
  EXPECT_NEAR(wilson_lower(14, 14), 0.784691, 1e-5);
  EXPECT_NEAR(wilson_lower(0, 10), 0, 1e-12);
  EXPECT_EQ(wilson_lower(0, 0), 0);
  const std::vector<double> a{1, 2, 3, 4};
  EXPECT_DOUBLE_EQ(moments(a).mean, 2.5);
  EXPECT_DOUBLE_EQ(moments(a).variance, 5.0 / 3);
  // Equal variances and sizes: Welch is the ordinary t test with 2 n - 2 degrees of freedom.
  EXPECT_NEAR(welch_half_width(moments(a), moments(a)), student_t_975(6) * std::sqrt(2 * 5.0 / 3 / 4), 1e-12);
}

}  // namespace
}  // namespace evo::engine
