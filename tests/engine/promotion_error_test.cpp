// What the comparisons of a run may spend, and that it stays within the run's error.
#include <gtest/gtest.h>

#include <cmath>

#include "engine/promotion_error.hpp"
#include "engine/tally.hpp"
#include "model/random.hpp"
#include "tests/engine/campaign_support.hpp"

namespace evo::engine {
namespace {

using testing::FakeEvaluator;
using testing::small_experiment;

constexpr double alpha = 0.01;

model::PairedComparison of(std::optional<double> error, double confidence = 0.999) {
  return {"incumbent", 1, {0.9, 1.1}, confidence, 20, error};
}

TEST(PromotionError, TheSharesOfAllComparisonsAddUpToTheRuns) {
  for (const std::int64_t most : {1, 2, 10, 400, 100000}) {
    PromotionError error(alpha, most);
    double sum = 0, last = 1;
    for (std::int64_t i = 0; i < most; ++i) {
      const double next = error.next();
      EXPECT_LT(next, last);
      sum += last = next;
      error.add(of(next), false);
    }
    EXPECT_LE(sum, alpha) << most;
    EXPECT_GT(sum, 0.9 * alpha) << most;
    EXPECT_NEAR(error.spent(), sum, 1e-12);
    EXPECT_EQ(error.bound(), alpha);
    EXPECT_EQ(error.decided(), most);
  }
}

TEST(PromotionError, AScreeningAndAPromotionTakeNoShare) {
  PromotionError error(alpha, 400);
  const double first = error.next();
  error.add(of(0), false);
  EXPECT_EQ(error.next(), first);
  EXPECT_EQ(error.spent(), 0);
  error.add(of(first), true);
  error.add(of(first), true);
  EXPECT_EQ(error.next(), first);
  EXPECT_EQ(error.spent(), first) << "the share that the next may spend again";
  error.add(of(first), false);
  EXPECT_LT(error.next(), first);
  EXPECT_EQ(error.spent(), first);
  EXPECT_EQ(error.comparisons(), 4);
  EXPECT_EQ(error.decided(), 3);
}

TEST(PromotionError, AnOlderRunsComparisonsCountWithWhatTheySpent) {
  PromotionError error(alpha, 400);
  for (int i = 0; i < 100; ++i) error.add(of(std::nullopt, 1 - 0.001 / 3), false);
  EXPECT_NEAR(error.spent(), 100 * 0.0005, 1e-12);
  EXPECT_NEAR(error.bound(), 100 * 0.0005 + alpha, 1e-12) << "what it does not keep it does not claim";
  EXPECT_LT(error.next(), alpha / 400) << "what comes now is the hundred-and-first";
}

// The worst that a valid comparison may be: each candidate that is not faster comes out as faster with all of
// its error. Gains, which promote, stand between them.
TEST(PromotionError, OfRunsOfCopiesNoMorePromoteOneThanTheError) {
  constexpr int runs = 4000, candidates = 400;
  for (const int gain_every : {0, 10}) {
    int wrong = 0;
    for (int run = 0; run < runs; ++run) {
      model::RandomStream draws(
          {.seed = static_cast<std::uint64_t>(run), .generation = 0, .slot = 0, .purpose = "runs of copies"});
      PromotionError error(alpha, candidates);
      bool any = false;
      for (int k = 1; k <= candidates; ++k) {
        const bool gains = gain_every > 0 && k % gain_every == 0;
        const double share = error.next();
        const bool promoted = gains || draws.chance(share);
        any = any || (promoted && !gains);
        error.add(of(share), promoted);
      }
      wrong += any ? 1 : 0;
    }
    // Four standard deviations.
    EXPECT_LE(wrong, runs * alpha + 4 * std::sqrt(runs * alpha)) << gain_every;
    EXPECT_GE(wrong, runs * alpha / 2) << "and little of it is left unused";
  }
}

/// What each comparison of these trials may have been given, by the ledger alone.
std::vector<double> shares_of(const model::Experiment& experiment, const std::vector<TrialRecord>& trials) {
  Tally tally(experiment);
  std::vector<double> shares;
  for (const TrialRecord& trial : trials) {
    if (trial.paired) shares.push_back(tally.promotion_error().next());
    tally.add(trial);
  }
  return shares;
}

/// A comparison that began before others were committed may have been given less, never more.
void expect_within(const std::vector<TrialRecord>& trials, const std::vector<double>& shares) {
  std::size_t i = 0;
  for (const TrialRecord& trial : trials) {
    if (!trial.paired) continue;
    ASSERT_LT(i, shares.size());
    EXPECT_LE(trial.paired->error.value_or(1), shares[i++]) << trial.index;
  }
  EXPECT_EQ(i, shares.size());
}

TEST(PromotionError, WhatACampaignMayGiveDependsOnTheOrderOfItsCommitsOnly) {
  const auto experiment = small_experiment();
  const auto measured = [](FakeEvaluator& evaluator) {
    evaluator.interval = 0.02;
    evaluator.most_delay_us = 200;
    // Every other comparison comes to nothing.
    evaluator.on_paired = [&evaluator](const model::Variant& candidate, const model::Variant& incumbent) {
      const double ratio =
          candidate.id[0] % 2 == 0 ? 1 : evaluator.latency(candidate) / evaluator.latency(incumbent);
      model::PairedComparison made{incumbent.id, ratio, {ratio * 0.999, ratio * 1.001}, 0.999, 20};
      return evaluators::Paired{made, {}, 0};
    };
  };
  FakeEvaluator evaluator;
  measured(evaluator);
  const Outcome undisturbed = run_small(experiment, evaluator);
  const std::vector<double> shares = shares_of(experiment, undisturbed.trials);
  ASSERT_GT(shares.size(), 3U);
  EXPECT_NE(shares.front(), shares.back());
  expect_within(undisturbed.trials, shares);
  CampaignOptions options;
  options.threads = options.device_threads = 3;
  FakeEvaluator cut_off;
  measured(cut_off);
  const auto ledger = make_memory_ledger();
  for (int crash = 0; crash < 3; ++crash) {
    CrashingLedger crashing(*ledger, 8, true);
    EXPECT_THROW((void)run_campaign(experiment, cut_off, crashing, 1, options), CrashingLedger::Crash);
  }
  (void)run_campaign(experiment, cut_off, *ledger, 1, options);
  EXPECT_EQ(shares_of(experiment, ledger->trials()), shares);
  expect_within(ledger->trials(), shares);
}

// Nobody knows whether it had been looked at.
TEST(PromotionError, AComparisonThatFailedCountsAsOneThatPromotedNobody) {
  PromotionError error(0.01, 100);
  TrialRecord failed;
  failed.reason = comparison_failed;
  const double first = error.next();
  error.add(failed);
  EXPECT_EQ(error.next(), error.share(2));
  EXPECT_EQ(error.spent(), first);
  error.add(TrialRecord{});
  EXPECT_EQ(error.comparisons(), 1);
}

TEST(PromotionError, IsTheExperiments) {
  auto experiment = small_experiment();
  const double before = Tally(experiment).promotion_error().next();
  experiment.gates.promotion_error *= 5;
  EXPECT_DOUBLE_EQ(Tally(experiment).promotion_error().next(), 5 * before);
}

}  // namespace
}  // namespace evo::engine
