// Weights of operators that a run learns.
#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "engine/bandit.hpp"
#include "engine/replay.hpp"
#include "tests/engine/edited_kernel.hpp"

namespace evo::engine {
namespace {

/// Arms of a run that had these trials.
std::vector<BanditArm> arms_after(const std::vector<std::pair<std::string, double>>& trials,
                                  const model::SearchSettings& settings) {
  std::vector<TrialRecord> records;
  for (const auto& [operation, microseconds] : trials) {
    TrialRecord trial;
    trial.index = static_cast<std::int64_t>(records.size());
    trial.variant = "v" + std::to_string(records.size());
    if (!records.empty()) trial.parents = {"v0"};
    trial.operator_name = operation;
    trial.status = microseconds > 0 ? model::Status::tie : model::Status::wrong;
    if (microseconds > 0)
      trial.latencies = {{"w", 1, {model::LatencyKind::modelled, microseconds, {}, 1, ""}}};
    records.push_back(trial);
  }
  return bandit_arms(settings, records, nullptr, static_cast<std::int64_t>(records.size()));
}

double factor_of(const std::vector<BanditArm>& arms, std::string_view name) {
  return std::ranges::find(arms, name, &BanditArm::name)->factor;
}

TEST(Bandit, AsksMoreOftenWhatBroughtGains) {
  model::SearchSettings settings = edits_experiment().search;
  const auto idle = arms_after({{"baseline", 10}, {"barrier_delete", 10}, {"loop_unroll", 0}}, settings);
  for (const BanditArm& arm : idle) EXPECT_EQ(arm.factor, 1) << arm.name;
  std::vector<std::pair<std::string, double>> trials{{"baseline", 10}};
  for (int i = 0; i < 20; ++i) {
    trials.emplace_back("barrier_delete", 9);   // gains
    trials.emplace_back("loop_unroll", 0);      // is wrong
    trials.emplace_back("statement_move", 12);  // is slower: no worse than wrong
  }
  const auto arms = arms_after(trials, settings);
  EXPECT_GT(factor_of(arms, "barrier_delete"), 2);
  EXPECT_LT(factor_of(arms, "loop_unroll"), 0.5);
  EXPECT_EQ(factor_of(arms, "loop_unroll"), factor_of(arms, "statement_move"));
  EXPECT_EQ(factor_of(arms, "load_hint"), 1);  // was never tried
  for (const BanditArm& arm : arms) {
    EXPECT_GE(arm.factor, 0.2) << arm.name;
    EXPECT_LE(arm.factor, 5) << arm.name;
  }
  // Every step of a proposal has its gain.
  const auto both =
      arms_after({{"baseline", 10}, {"barrier_delete+loop_unroll", 9}, {"restrict", 10}}, settings);
  EXPECT_EQ(factor_of(both, "barrier_delete"), factor_of(both, "loop_unroll"));
  EXPECT_GT(factor_of(both, "barrier_delete"), factor_of(both, "restrict"));
}

TEST(Bandit, ItsHistoryIsWhatEachGenerationSaw) {
  model::Experiment experiment = edits_experiment();
  experiment.search.bandit = true;
  testing::FakeEvaluator evaluator;
  judge_barriers(evaluator);
  const Outcome outcome = run_small(experiment, evaluator);
  const std::span<const TrialRecord> trials(outcome.trials);
  const auto history = bandit_history(experiment.search, trials, {});
  ASSERT_FALSE(history.empty());
  for (const BanditGeneration& each : history) {
    const std::int64_t first = std::int64_t{each.generation} * experiment.search.population;
    const auto seen = static_cast<std::size_t>(visible_trials(first, experiment.search.max_in_flight));
    const auto arms =
        bandit_arms(experiment.search, trials.first(std::min(seen, trials.size())), nullptr, first);
    ASSERT_EQ(arms.size(), each.arms.size());
    for (std::size_t i = 0; i < arms.size(); ++i) {
      EXPECT_EQ(arms[i].trials, each.arms[i].trials) << each.generation << " " << arms[i].name;
      EXPECT_EQ(arms[i].factor, each.arms[i].factor) << each.generation << " " << arms[i].name;
    }
  }
  EXPECT_GT(history.back().arms.front().trials + history.back().arms.back().trials, 0);
}

TEST(Bandit, KeepsTheLineageOverThreadsACrashAndAReplay) {
  model::Experiment experiment = edits_experiment();
  experiment.search.bandit = true;
  std::set<std::string> lineages;
  std::string undisturbed;
  for (const int threads : {1, 4}) {
    testing::FakeEvaluator evaluator;
    judge_barriers(evaluator);
    evaluator.most_delay_us = threads == 1 ? 0 : 500;
    CampaignOptions options;
    options.threads = threads;
    options.device_threads = threads;
    const Outcome outcome = run_small(experiment, evaluator, options);
    undisturbed = outcome.result.lineage_sha256;
    lineages.insert(undisturbed);
    const auto history = bandit_history(experiment.search, outcome.trials, {});
    ASSERT_EQ(history.size(), 16U);
    EXPECT_TRUE(
        std::ranges::any_of(history.back().arms, [](const BanditArm& arm) { return arm.factor > 1; }));
  }
  testing::FakeEvaluator evaluator;
  judge_barriers(evaluator);
  const auto ledger = make_memory_ledger();
  CrashingLedger crashing(*ledger, 73, true);
  EXPECT_THROW((void)run_campaign(experiment, evaluator, crashing, 1, {}), CrashingLedger::Crash);
  lineages.insert(run_campaign(experiment, evaluator, *ledger, 1, {}).lineage_sha256);
  EXPECT_EQ(lineages.size(), 1U);
  EXPECT_TRUE(replay_run(experiment, evaluator, *ledger, {}).mismatches.empty());
  experiment.search.bandit = false;
  EXPECT_NE(run_small(experiment, evaluator).result.lineage_sha256, undisturbed);
}

}  // namespace
}  // namespace evo::engine
