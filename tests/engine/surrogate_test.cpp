#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "engine/lineage.hpp"
#include "engine/proposer.hpp"
#include "engine/replay.hpp"
#include "mutators/weights.hpp"
#include "tests/engine/campaign_support.hpp"

namespace evo::engine {
namespace {

using evo::testing::expression;
using evo::testing::FakeEvaluator;
using evo::testing::integer_gene;
using evo::testing::small_experiment;
using evo::testing::small_template;

model::Experiment surrogate_experiment(std::uint64_t seed = 7) {
  auto experiment = small_experiment();
  experiment.search.strategy = "surrogate";
  experiment.search.generations = 10;
  experiment.search.seed = seed;
  return experiment;
}

/// A loop and no property, because each run costs many models.
TEST(Surrogate, ProposalsAreLegalForAnySettings) {
  for (std::uint64_t seed = 1; seed <= 24; ++seed) {
    model::RandomStream random({seed, 0, 0, "settings"});
    auto experiment = surrogate_experiment(seed);
    experiment.search.max_in_flight = 1 + static_cast<int>(random.below(20));
    experiment.search.population = 1 + static_cast<int>(random.below(12));
    experiment.search.generations = 4;
    for (const std::string& name : mutators::operator_names())
      experiment.search.mutators[name] = 0.25 * static_cast<double>(random.below(4));
    experiment.search.mutators["random_immigrant"] += 0.01;
    const SearchSpace space = make_search_space(experiment);
    FakeEvaluator evaluator;
    for (const TrialRecord& trial : run_small(experiment, evaluator).trials) {
      EXPECT_TRUE(space.find(trial.template_name)->space.legal(trial.genome)) << trial.genome.text();
      EXPECT_FALSE(trial.rationale.empty());
    }
  }
}

TEST(Surrogate, TheLineageDoesNotDependOnThreads) {
  const auto experiment = surrogate_experiment();
  std::set<std::string> lineages;
  for (const int threads : {1, 2, 5}) {
    FakeEvaluator evaluator;
    evaluator.most_delay_us = 300;
    CampaignOptions options;
    options.threads = threads;
    options.device_threads = threads;
    lineages.insert(run_small(experiment, evaluator, options).result.lineage_sha256);
  }
  EXPECT_EQ(lineages.size(), 1U);
}

TEST(Surrogate, AfterACrashTheLineageIsTheUndisturbedOne) {
  const auto experiment = surrogate_experiment();
  FakeEvaluator evaluator;
  const Outcome undisturbed = run_small(experiment, evaluator);
  for (const int commits : {3, 20, 41, 77}) {
    const auto ledger = make_memory_ledger();
    CrashingLedger crashing(*ledger, commits, true);
    EXPECT_THROW((void)run_campaign(experiment, evaluator, crashing, 1), CrashingLedger::Crash);
    EXPECT_EQ(run_campaign(experiment, evaluator, *ledger, 1).lineage_sha256,
              undisturbed.result.lineage_sha256)
        << commits;
  }
}

TEST(Surrogate, ReplayAsksTheSameProposals) {
  const auto experiment = surrogate_experiment();
  FakeEvaluator evaluator;
  const Outcome done = run_small(experiment, evaluator);
  EXPECT_TRUE(replay_run(experiment, evaluator, *done.ledger).match());
}

TEST(Surrogate, AProposalDependsOnThePrefixThatItSeesOnly) {
  const auto experiment = surrogate_experiment();
  FakeEvaluator evaluator;
  const auto trials = run_small(experiment, evaluator).trials;
  const SearchSpace space = make_search_space(experiment);
  for (const std::int64_t index : {9, 20, 41, 77}) {
    Proposer proposer(experiment.search, space);
    for (std::int64_t i = 0; i < index; ++i) {
      const auto& trial = trials[static_cast<std::size_t>(i)];
      proposer.note(i, trial.template_name, trial.genome);
    }
    auto disturbed = trials;
    for (auto i = static_cast<std::size_t>(index - experiment.search.max_in_flight + 1); i < disturbed.size();
         ++i) {
      disturbed[i].status = model::Status::wrong;
      disturbed[i].latencies.clear();
    }
    const Proposal again = proposer.ask(index, disturbed);
    const TrialRecord& first = trials[static_cast<std::size_t>(index)];
    EXPECT_EQ(again.genome, first.genome) << index;
    EXPECT_EQ(again.rationale, first.rationale);
    EXPECT_EQ(again.predicted_effect, first.predicted_effect);
  }
}

TEST(Surrogate, NothingIsProposedTwiceWhileThereIsSomethingNew) {
  FakeEvaluator evaluator;
  std::set<std::string> tried;
  for (const TrialRecord& trial : run_small(surrogate_experiment(), evaluator).trials)
    EXPECT_TRUE(tried.insert(genome_key(trial.template_name, trial.genome)).second) << trial.genome.text();
}

TEST(Surrogate, SaysWhatItExpects) {
  FakeEvaluator evaluator;
  int expected = 0, correct_sign = 0, told = 0;
  const auto trials = run_small(surrogate_experiment(), evaluator).trials;
  std::map<std::string, double> latency;
  for (const TrialRecord& trial : trials) {
    if (trial.correct()) latency[trial.variant] = trial.latency()->microseconds;
    if (trial.rationale.find("expected by a model") == std::string::npos) continue;
    ASSERT_TRUE(trial.predicted_effect.has_value());
    ASSERT_FALSE(trial.parents.empty());
    EXPECT_NE(trial.rationale.find(" -> "), std::string::npos);
    ++told;
    if (!trial.correct()) continue;
    ++expected;
    const double change = std::log(trial.latency()->microseconds / latency.at(trial.parents[0]));
    correct_sign += (change < 0) == (*trial.predicted_effect < 0) ? 1 : 0;
  }
  EXPECT_GT(told, 30);
  EXPECT_GT(2 * correct_sign, expected);
}

TEST(Surrogate, OnlyEnabledMutatorsAreUsed) {
  auto experiment = surrogate_experiment();
  experiment.search.mutators = {{"sync_mutation", 0}};
  FakeEvaluator evaluator;
  const SearchSpace space = make_search_space(experiment);
  for (const TrialRecord& trial : run_small(experiment, evaluator).trials)
    EXPECT_FALSE(space.find(trial.template_name)->space.weakened(trial.genome)) << trial.rationale;
}

/// Eight genes of which each has its own best value: nothing that a model could not learn.
model::Experiment separable_experiment(const char* strategy, std::uint64_t seed) {
  std::vector<model::Gene> genes;
  for (int i = 0; i < 8; ++i)
    genes.push_back(integer_gene(std::string("G") + char('A' + i), {1, 2, 3, 4, 5, 6}, 1));
  auto experiment = small_experiment();
  experiment.problem.templates = {small_template(
      "separable", model::Space(std::move(genes), {{expression("GA + GB <= 10"), "too much"}}))};
  experiment.baseline_template = "separable";
  experiment.baseline = experiment.problem.templates[0].space.initial();
  experiment.search.strategy = strategy;
  experiment.search.population = 16;
  experiment.search.generations = 10;
  experiment.search.max_in_flight = 4;
  experiment.search.seed = seed;
  return experiment;
}

/// All are correct, and each gene costs by its distance from its best value.
void make_separable(FakeEvaluator& evaluator) {
  evaluator.fails_correctness = [](const model::Variant&) { return std::nullopt; };
  evaluator.identity = [](const model::Variant& variant) { return variant.genome.text(); };
  evaluator.latency = [](const model::Variant& variant) {
    double time = 1;
    for (const auto& [gene, value] : variant.genome.values()) {
      const double best = 1 + (gene[1] - 'A') % 6;
      time *= 1 + 0.1 * std::abs(static_cast<double>(std::get<std::int64_t>(value)) - best);
    }
    return time;
  };
}

double mean_log_best(const char* strategy) {
  double sum = 0;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    FakeEvaluator evaluator;
    make_separable(evaluator);
    const Outcome done = run_small(separable_experiment(strategy, seed), evaluator);
    sum += std::log(done.result.progress.champion->latency()->microseconds) / 6;
  }
  return sum;
}

TEST(Surrogate, ConvergesOnASeparableSpaceFasterThanRandomSearch) {
  const double surrogate = mean_log_best("surrogate");
  EXPECT_LT(surrogate, 0.1);
  EXPECT_LT(surrogate, mean_log_best("random") - 0.3);
}

TEST(Surrogate, RivalsAreBredAmongThemselves) {
  FakeEvaluator evaluator;
  make_separable(evaluator);
  const auto trials = run_small(separable_experiment("surrogate", 3), evaluator).trials;
  std::map<std::string, const TrialRecord*> by_id;
  int rivals = 0;
  for (const TrialRecord& trial : trials) {
    by_id.emplace(trial.variant, &trial);
    const std::size_t at = trial.rationale.find(" without ");
    if (at == std::string::npos) continue;
    ++rivals;
    const std::string left_out = trial.rationale.substr(at + 9, trial.rationale.find(',', at) - at - 9);
    const std::size_t equal = left_out.find('=');
    ASSERT_NE(equal, std::string::npos) << trial.rationale;
    const auto has = [&](const TrialRecord& one) {
      return model::to_string(one.genome.at(left_out.substr(0, equal))) == left_out.substr(equal + 1);
    };
    EXPECT_FALSE(has(trial)) << trial.rationale << "\n" << trial.genome.text();
    ASSERT_FALSE(trial.parents.empty());
    for (const std::string& parent : trial.parents) EXPECT_FALSE(has(*by_id.at(parent))) << trial.rationale;
  }
  EXPECT_GT(rivals, 5);
}

}  // namespace
}  // namespace evo::engine
