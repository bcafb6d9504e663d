// budget.stop_if, and what a run cost and gave.
#include "engine/stop_if.hpp"

#include <gtest/gtest.h>

#include "engine/economics.hpp"
#include "tests/engine/campaign_support.hpp"

namespace evo::engine {
namespace {

using evo::testing::FakeEvaluator;
using evo::testing::small_experiment;

TrialRecord trial_at(std::int64_t index, model::Status status, double us) {
  TrialRecord trial;
  trial.index = index;
  trial.variant = "v" + std::to_string(index);
  trial.status = status;
  trial.elapsed_seconds = static_cast<double>(10 * (index + 1));
  trial.latencies = {{"w", 1, {model::LatencyKind::modelled, us, std::nullopt, 0, "fake"}}};
  return trial;
}

/// The baseline takes 100 us, trial 3 half of it, trial 6 a little less than that; the others are slower.
std::vector<TrialRecord> history(std::int64_t count) {
  std::vector<TrialRecord> trials;
  for (std::int64_t i = 0; i < count; ++i) {
    const bool better = i == 3 || i == 6;
    trials.push_back(trial_at(i,
                              i == 0   ? model::Status::proven
                              : better ? model::Status::better
                                       : model::Status::correct_slower,
                              i == 0   ? 100
                              : i == 3 ? 50
                              : i == 6 ? 49.8
                                       : 200));
  }
  return trials;
}

TEST(StopIfRun, CountsTheGainOfTheLastTrialsAlone) {
  EXPECT_FALSE(gain_of_last_trials(history(4), 4));  // the baseline is no attempt
  EXPECT_DOUBLE_EQ(*gain_of_last_trials(history(4), 3), 0.5);
  EXPECT_DOUBLE_EQ(*gain_of_last_trials(history(5), 1), 0);
  EXPECT_NEAR(*gain_of_last_trials(history(7), 3), 0.004, 1e-12);
  EXPECT_NEAR(*gain_of_last_trials(history(7), 4), 0.502, 1e-12);
  EXPECT_FALSE(stalled_in_trials({0.01, 4, 0}, history(7)));
  const auto event = stalled_in_trials({0.01, 3, 0}, history(7));
  ASSERT_TRUE(event);
  EXPECT_EQ(event->kind, event_kinds::budget_stop);
  EXPECT_EQ(event->trial, 7);
  EXPECT_EQ(event->details.at("budget"), "stop_if");
  EXPECT_EQ(event->details.at("limit"), "no gain of 1 % in 3 trials");
  EXPECT_FALSE(stalled_in_trials({0.004, 3, 0}, history(7)));  // as much as was asked for
  EXPECT_FALSE(stalled_in_trials({}, history(7)));
}

TEST(StopIfRun, WhatWasTimedInTurnCountsAsItWasTimed) {
  auto trials = history(5);
  trials[3].paired = model::PairedComparison{"v0", 0.995, {0.994, 0.996}, 0.999, 16};
  EXPECT_NEAR(*gain_of_last_trials(trials, 4), 0.005, 1e-12);
  trials[3].paired->incumbent = "another";
  EXPECT_NEAR(*gain_of_last_trials(trials, 4), 0.5, 1e-12);
}

TEST(StopIfRun, TimeIsThatOfTheRun) {
  const auto trials = history(7);                            // commits at 10, 20, ... 70 s
  EXPECT_FALSE(stalled_in_time({0.01, 0, 65}, trials, 70));  // the baseline took the first ten
  EXPECT_FALSE(stalled_in_time({0.01, 0, 30}, trials, 70));  // trial 3 came at 40 s
  EXPECT_TRUE(stalled_in_time({0.01, 0, 29}, trials, 70));
  EXPECT_FALSE(stalled_in_time({0.01, 5, 0}, trials, 1e6));
}

model::Experiment stopping() {
  auto experiment = small_experiment();
  experiment.budget.stop_if = {0.01, 6, 0};
  return experiment;
}

TEST(StopIfRun, EndsAtTheSameTrialWhateverTheThreads) {
  std::string lineage;
  for (const int threads : {1, 2, 4, 8}) {
    FakeEvaluator evaluator;
    evaluator.most_delay_us = 300;
    CampaignOptions options;
    options.threads = options.device_threads = threads;
    const Outcome done = run_small(stopping(), evaluator, options);
    EXPECT_EQ(done.result.status, CampaignStatus::budget);
    EXPECT_LT(done.trials.size(), 48u);
    EXPECT_TRUE(stalled_in_trials({0.01, 6, 0}, done.trials));
    EXPECT_FALSE(stalled_in_trials({0.01, 6, 0}, std::span(done.trials).first(done.trials.size() - 1)));
    if (lineage.empty()) lineage = done.result.lineage_sha256;
    EXPECT_EQ(done.result.lineage_sha256, lineage);
  }
}

TEST(StopIfRun, AnInterruptedRunEndsAtTheSameTrial) {
  FakeEvaluator evaluator;
  const Outcome whole = run_small(stopping(), evaluator);
  for (int commits = 2; commits < static_cast<int>(whole.trials.size()); commits += 3) {
    const auto ledger = make_memory_ledger();
    CrashingLedger crashing(*ledger, commits, true);
    EXPECT_THROW((void)run_campaign(stopping(), evaluator, crashing, 1), CrashingLedger::Crash);
    const auto result = run_campaign(stopping(), evaluator, *ledger, 1);
    EXPECT_EQ(result.status, CampaignStatus::budget);
    EXPECT_EQ(result.lineage_sha256, whole.result.lineage_sha256);
  }
}

TEST(Economics, SharesTheCostOutAndSaysWhyTheRunEnded) {
  FakeEvaluator evaluator;  // 0.25 s of device a trial; gates of 1.53, 5 and 4 ms
  auto experiment = stopping();
  experiment.budget.hourly_price = 3600;
  const Outcome done = run_small(experiment, evaluator);
  const TrialRecord& champion = *done.result.progress.champion;
  const Economics cost = economics_of(experiment, done.trials, done.ledger->events(), false, &champion);
  EXPECT_EQ(cost.stopped_by, "stop_if");
  EXPECT_NEAR(cost.device_seconds, done.result.progress.device_seconds, 1e-9);
  EXPECT_NEAR(cost.phases[1].device_seconds + cost.phases[2].device_seconds, cost.device_seconds, 1e-9);
  EXPECT_GT(cost.phases[2].device_seconds, 0);
  EXPECT_EQ(cost.phases[0].device_seconds, 0);
  EXPECT_GT(cost.phases[0].seconds, 0);
  EXPECT_NEAR(cost.cost, cost.device_seconds, 1e-9);
  const double saved = 100 * (1 - champion.latency()->microseconds / done.trials[0].latency()->microseconds);
  ASSERT_TRUE(cost.gain_percent && cost.cost_per_percent);
  EXPECT_NEAR(*cost.gain_percent, saved, 1e-9);
  EXPECT_NEAR(*cost.cost_per_percent, cost.cost / saved, 1e-9);

  const Outcome trials = run_small(small_experiment(), evaluator);
  const Economics free =
      economics_of(small_experiment(), trials.trials, trials.ledger->events(), false, nullptr);
  EXPECT_EQ(free.stopped_by, "trials");
  EXPECT_FALSE(free.gain_percent || free.cost_per_percent);
  EXPECT_EQ(economics_of(small_experiment(), trials.trials, {}, false, nullptr).stopped_by, "");
}

}  // namespace
}  // namespace evo::engine
