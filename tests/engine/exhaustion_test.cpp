// A space that is smaller than the budget is tried whole, whatever the strategy, and then the run is done.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "engine/enumeration.hpp"
#include "engine/replay.hpp"
#include "tests/engine/campaign_support.hpp"

namespace evo::engine {
namespace {

/// 11 legal genomes of the simple template, budget for 40.
model::Experiment small_space(const std::string& strategy) {
  model::Experiment experiment = testing::small_experiment();
  experiment.templates = {"simple"};
  experiment.baseline_template = "simple";
  experiment.baseline = experiment.problem.find_template("simple")->space.initial();
  experiment.search.strategy = strategy;
  experiment.search.population = 8;
  experiment.search.generations = 5;
  experiment.budget.trials = 40;
  return experiment;
}

struct Exhaustion : ::testing::TestWithParam<std::string> {};

TEST_P(Exhaustion, EveryGenomeIsTriedOnceAndTheRunIsDone) {
  testing::FakeEvaluator evaluator;
  const Outcome outcome = run_small(small_space(GetParam()), evaluator);
  std::set<std::string> tried;
  for (const TrialRecord& trial : outcome.trials) tried.insert(trial.genome.text());
  EXPECT_EQ(outcome.trials.size(), 11U);
  EXPECT_EQ(tried.size(), 11U);
  EXPECT_EQ(outcome.result.status, CampaignStatus::done);
  EXPECT_TRUE(space_exhausted(outcome.result.progress));
  EXPECT_EQ(outcome.result.progress.legal_genomes, 11U);
}

/// Draws seldom meet the last of so many: what is proposed once more gives way to one that is left.
TEST_P(Exhaustion, OfALargerSpaceNothingIsProposedTwice) {
  model::Experiment experiment = small_space(GetParam());
  model::Template& kernel =
      *std::ranges::find(experiment.problem.templates, "simple", &model::Template::name);
  std::vector<std::int64_t> threads;
  for (std::int64_t t = 1; t <= 150; ++t) threads.push_back(t);
  kernel.space = model::Space(
      {testing::integer_gene("THREADS", threads, 64), testing::integer_gene("UNROLL", {1, 2}, 1)}, {});
  experiment.baseline = kernel.space.initial();
  experiment.search.generations = 50;
  experiment.budget.trials = 400;
  testing::FakeEvaluator evaluator;
  const Outcome outcome = run_small(experiment, evaluator);
  std::set<std::string> tried;
  for (const TrialRecord& trial : outcome.trials) tried.insert(trial.genome.text());
  EXPECT_EQ(outcome.trials.size(), 300U);
  EXPECT_EQ(tried.size(), 300U);
}

TEST_P(Exhaustion, TheRunReplays) {
  testing::FakeEvaluator evaluator;
  const Outcome outcome = run_small(small_space(GetParam()), evaluator);
  const ReplayReport report = replay_run(small_space(GetParam()), evaluator, *outcome.ledger, {});
  EXPECT_TRUE(report.mismatches.empty());
}

TEST_P(Exhaustion, ATrialsBudgetStillEndsARun) {
  testing::FakeEvaluator evaluator;
  model::Experiment experiment = small_space(GetParam());
  experiment.budget.trials = 6;
  const Outcome outcome = run_small(experiment, evaluator);
  EXPECT_EQ(outcome.trials.size(), 6U);
  EXPECT_EQ(outcome.result.status, CampaignStatus::budget);
  EXPECT_FALSE(space_exhausted(outcome.result.progress));
}

INSTANTIATE_TEST_SUITE_P(Strategies, Exhaustion,
                         ::testing::Values("genetic", "random", "local", "surrogate", "exhaustive"));

TEST(Enumeration, ListsTheBaselineAndEveryLegalGenomeOnce) {
  const SearchSpace space = make_search_space(testing::small_experiment());
  const std::vector<Listed> all = enumerate(space, 100000);
  EXPECT_EQ(all.size(), legal_genomes(space));
  EXPECT_EQ(all.front().genome, space.baseline);
  std::set<std::string> seen;
  for (const Listed& each : all) {
    EXPECT_TRUE(space.find(each.template_name)->space.legal(each.genome));
    EXPECT_TRUE(seen.insert(genome_key(each.template_name, each.genome)).second);
  }
  EXPECT_EQ(enumerate(space, 7).size(), 7U);
}

TEST(Enumeration, OneGenomeIsADoneRun) {
  model::Experiment experiment = small_space("genetic");
  model::Template& kernel = experiment.problem.templates[1];
  kernel.space =
      model::Space({testing::integer_gene("THREADS", {64}, 64), testing::integer_gene("UNROLL", {1}, 1)}, {});
  experiment.baseline = kernel.space.initial();
  testing::FakeEvaluator evaluator;
  const Outcome outcome = run_small(experiment, evaluator);
  EXPECT_EQ(outcome.trials.size(), 1U);
  EXPECT_EQ(outcome.result.status, CampaignStatus::done);
}

}  // namespace
}  // namespace evo::engine
