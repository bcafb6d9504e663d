#include "engine/budget.hpp"

#include <gtest/gtest.h>

#include "tests/engine/campaign_support.hpp"

namespace evo::engine {
namespace {

using evo::testing::FakeEvaluator;
using evo::testing::small_experiment;

const EventRecord* find_event(const std::vector<EventRecord>& events, const std::string& kind) {
  for (const EventRecord& event : events) {
    if (event.kind == kind) return &event;
  }
  return nullptr;
}

TEST(Budget, NamesTheOneThatIsSpent) {
  model::Budget budget;
  EXPECT_FALSE(spent_budget(budget, 5, 1e9, 1e9, 1e9));
  budget.wall_seconds = 10;
  EXPECT_FALSE(spent_budget(budget, 5, 9.9, 100, 0));
  EXPECT_EQ(spent_budget(budget, 5, 10, 100, 0)->details.at("budget"), "wall_seconds");
  budget = {};
  budget.cost = 2;
  budget.hourly_price = 4;
  EXPECT_FALSE(spent_budget(budget, 5, 0, 1799, cost_of(budget, 1799)));
  const auto event = spent_budget(budget, 5, 0, 1800, cost_of(budget, 1800));
  ASSERT_TRUE(event);
  EXPECT_EQ(event->details.at("budget"), "money");
  EXPECT_EQ(event->trial, 5);
}

TEST(Budget, TrialsEndTheRunBetweenGenerations) {
  FakeEvaluator evaluator;
  auto experiment = small_experiment();
  experiment.budget.trials = 21;
  const Outcome done = run_small(experiment, evaluator);
  EXPECT_EQ(done.result.status, CampaignStatus::budget);
  EXPECT_EQ(done.trials.size(), 21u);
  EXPECT_EQ(done.ledger->generations().size(), 3u);
  EXPECT_EQ(done.ledger->generations().back().trials, 5);
}

TEST(Budget, MoreTrialsThanSlotsAreNoLimit) {
  FakeEvaluator evaluator;
  auto experiment = small_experiment();
  experiment.budget.trials = 1000;
  const Outcome done = run_small(experiment, evaluator);
  EXPECT_EQ(done.result.status, CampaignStatus::done);
  EXPECT_EQ(done.trials.size(), 48u);
}

TEST(Budget, DeviceSecondsAndMoneyStopItWithAnEvent) {
  for (const bool cost : {false, true}) {
    FakeEvaluator evaluator;
    auto experiment = small_experiment();
    if (cost) {
      experiment.budget.cost = 0.5;
      experiment.budget.hourly_price = 600;  // 3 seconds
    } else {
      experiment.budget.device_seconds = 3;
    }
    const Outcome done = run_small(experiment, evaluator);
    EXPECT_EQ(done.result.status, CampaignStatus::budget);
    EXPECT_GE(done.result.progress.device_seconds, 3);
    EXPECT_LT(done.trials.size(), 40u);
    const auto events = done.ledger->events();
    const EventRecord* stop = find_event(events, event_kinds::budget_stop);
    ASSERT_NE(stop, nullptr);
    EXPECT_EQ(stop->trial, static_cast<std::int64_t>(done.trials.size()));
    EXPECT_EQ(stop->details.at("budget"), cost ? "money" : "device_seconds");
  }
}

TEST(Budget, AFarmsWorkersCountByTheirOwnPrices) {
  model::Budget budget;
  budget.hourly_price = 3600;  // of a second: 1
  TrialRecord here, dear, free_of_charge;
  here.device_seconds = dear.device_seconds = free_of_charge.device_seconds = 2;
  dear.work = WorkRecord{"host-1", "NVIDIA H200", 7.5};
  free_of_charge.work = WorkRecord{"host-2", "NVIDIA H200", std::nullopt};
  Costs costs;
  for (const TrialRecord* trial : {&here, &dear, &free_of_charge}) costs.add(*trial);
  EXPECT_EQ(costs.cost(budget), 2 + 7.5 + 2);
}

TEST(Budget, MoneyThatAFarmTookStopsItAndStandsInTheLedger) {
  FakeEvaluator evaluator;
  auto experiment = small_experiment();
  experiment.budget.cost = 3;
  experiment.budget.hourly_price = 1e-9;
  CampaignOptions options;
  double spent = 0;
  options.farm_cost = [&spent] { return spent += 0.25; };
  const Outcome done = run_small(experiment, evaluator, options);
  EXPECT_EQ(done.result.status, CampaignStatus::budget);
  const auto events = done.ledger->events();
  const EventRecord* stop = find_event(events, event_kinds::budget_stop);
  ASSERT_NE(stop, nullptr);
  EXPECT_EQ(stop->details.at("budget"), "money");
  EXPECT_LT(done.trials.size(), 40u);
  EXPECT_GE(done.result.progress.cost, 3);
  for (const TrialRecord& trial : done.trials) {
    ASSERT_TRUE(trial.work && trial.work->cost);
    EXPECT_NEAR(*trial.work->cost, 0.25, 1e-6);
  }
}

TEST(Budget, TheWallClockStopsItAndAResumeObeys) {
  FakeEvaluator evaluator;
  FakeClock clock;
  evaluator.on_evaluate = [&](const model::Variant&) { clock.seconds = clock.seconds + 10; };
  auto experiment = small_experiment();
  experiment.budget.wall_seconds = 100;
  CampaignOptions options;
  options.clock = &clock;
  Outcome done = run_small(experiment, evaluator, options);
  EXPECT_EQ(done.result.status, CampaignStatus::budget);
  EXPECT_GE(done.trials.size(), 5u);
  EXPECT_LT(done.trials.size(), 20u);
  const auto again = run_campaign(experiment, evaluator, *done.ledger, 1, options);
  EXPECT_EQ(again.status, CampaignStatus::budget);
  EXPECT_EQ(again.lineage_sha256, done.result.lineage_sha256);
  EXPECT_EQ(done.ledger->trials().size(), done.trials.size());
}

TEST(Budget, WallTimeCountsOverSessions) {
  FakeEvaluator evaluator;
  FakeClock clock;
  evaluator.on_evaluate = [&](const model::Variant&) { clock.seconds = clock.seconds + 10; };
  auto experiment = small_experiment();
  experiment.budget.wall_seconds = 200;
  const auto ledger = make_memory_ledger();
  CrashingLedger crashing(*ledger, 12, false);
  CampaignOptions options;
  options.clock = &clock;
  EXPECT_THROW((void)run_campaign(experiment, evaluator, crashing, 1, options), CrashingLedger::Crash);
  const double before = ledger->trials().back().elapsed_seconds;
  EXPECT_GE(before, 100);
  clock.seconds = 5;  // another boot of the machine
  const auto result = run_campaign(experiment, evaluator, *ledger, 1, options);
  EXPECT_EQ(result.status, CampaignStatus::budget);
  EXPECT_GE(result.progress.elapsed_seconds, before);
  EXPECT_LT(result.progress.elapsed_seconds, 300);
}

}  // namespace
}  // namespace evo::engine
