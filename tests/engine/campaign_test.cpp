// The campaign against a fake evaluator: what is proposed, compared and committed, whatever the threads do.
#include "engine/campaign.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <thread>

#include "engine/counter_records.hpp"
#include "engine/insights.hpp"
#include "engine/lineage.hpp"
#include "engine/search_space.hpp"
#include "engine/tally.hpp"
#include "model/error.hpp"
#include "tests/engine/campaign_support.hpp"
#include "tests/engine/sample_records.hpp"

namespace evo::engine {
namespace {

using evo::testing::FakeEvaluator;
using evo::testing::small_experiment;
using model::Status;
using ::testing::HasSubstr;

TEST(Campaign, ClimbsFromTheBaselineToABetterVariant) {
  FakeEvaluator evaluator;
  const Outcome done = run_small(small_experiment(), evaluator);
  EXPECT_EQ(done.result.status, CampaignStatus::done);
  ASSERT_EQ(done.trials.size(), 48u);
  EXPECT_EQ(done.trials[0].operator_name, "baseline");
  EXPECT_EQ(done.trials[0].status, Status::proven);
  ASSERT_TRUE(done.result.progress.champion);
  EXPECT_LT(done.result.progress.champion->latency()->microseconds, done.trials[0].latency()->microseconds);
  EXPECT_EQ(done.result.lineage_sha256, lineage_sha256(done.trials));
  EXPECT_EQ(done.ledger->generations().size(), 6u);
}

TEST(Campaign, EveryProposalIsLegalAndNamesParentsThatItMaySee) {
  FakeEvaluator evaluator;
  const auto experiment = small_experiment();
  const SearchSpace space = make_search_space(experiment);
  const Outcome done = run_small(experiment, evaluator);
  for (const TrialRecord& trial : done.trials) {
    EXPECT_TRUE(space.find(trial.template_name)->space.legal(trial.genome)) << trial.genome.text();
    for (const std::string& parent : trial.parents) {
      const auto found = std::find_if(done.trials.begin(), done.trials.end(), [&](const TrialRecord& other) {
        return other.variant == parent && other.correct();
      });
      ASSERT_NE(found, done.trials.end()) << "trial " << trial.index << " has the unknown parent " << parent;
      EXPECT_LE(found->index, trial.index - experiment.search.max_in_flight);
      EXPECT_EQ(found->template_name, trial.template_name);
    }
  }
}

TEST(Campaign, LineageDoesNotDependOnThreads) {
  for (const char* strategy : {"genetic", "local", "random"}) {
    std::set<std::string> lineages;
    for (const int threads : {1, 2, 3, 8}) {
      FakeEvaluator evaluator;
      evaluator.most_delay_us = 400;
      auto experiment = small_experiment();
      experiment.search.strategy = strategy;
      CampaignOptions options;
      options.threads = threads;
      options.device_threads = 1 + threads / 2;
      lineages.insert(run_small(experiment, evaluator, options).result.lineage_sha256);
    }
    EXPECT_EQ(lineages.size(), 1u) << strategy;
  }
}

TEST(Campaign, SeedWindowAndInsightsChangeTheLineage) {
  const auto lineage = [](const model::Experiment& experiment) {
    FakeEvaluator evaluator;
    return run_small(experiment, evaluator).result.lineage_sha256;
  };
  auto experiment = small_experiment();
  const std::string first = lineage(experiment);
  EXPECT_EQ(first, lineage(experiment));
  experiment.search.insights = false;
  EXPECT_NE(first, lineage(experiment));
  experiment = small_experiment();
  experiment.search.seed = 8;
  EXPECT_NE(first, lineage(experiment));
  experiment = small_experiment();
  experiment.search.max_in_flight = 1;
  EXPECT_NE(first, lineage(experiment));
}

TEST(Campaign, LooksAheadByTheWindowAndNoFurther) {
  EXPECT_EQ(visible_trials(0, 4), 0);
  EXPECT_EQ(visible_trials(3, 4), 0);
  EXPECT_EQ(visible_trials(4, 4), 1);  // proposal 4 sees the result of proposal 0
  EXPECT_EQ(visible_trials(10, 1), 10);

  // While trial 1 sits on the device, trials up to 1 + W - 1 are compiled and trial 1 + W is not even
  // proposed.
  FakeEvaluator evaluator;
  std::atomic<int> most_prepared = 0;
  std::atomic<bool> baseline = true;
  evaluator.on_evaluate = [&](const model::Variant&) {
    if (baseline.exchange(false)) return;
    for (int i = 0; i < 2000 && evaluator.prepared < 5; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    if (most_prepared == 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(30));
      most_prepared = evaluator.prepared.load();
    }
  };
  CampaignOptions options;
  options.threads = 4;
  const Outcome done = run_small(small_experiment(), evaluator, options);
  EXPECT_EQ(done.trials.size(), 48u);
  EXPECT_EQ(most_prepared, 5);
}

TEST(Campaign, OtherTemplatesStartAtTheirInitialGenome) {
  FakeEvaluator evaluator;
  const Outcome done = run_small(small_experiment(), evaluator);
  EXPECT_EQ(done.trials[1].operator_name, "template_initial");
  EXPECT_EQ(done.trials[1].template_name, "simple");
  EXPECT_EQ(done.trials[1].genome, evo::testing::simple_space().initial());
}

TEST(Campaign, StartsOfTheTemplatesFollowTheInitialGenomes) {
  auto experiment = small_experiment();
  model::Genome wide = experiment.problem.templates[0].space.initial(), illegal = wide;
  wide.set("BLOCK_N", std::int64_t{64});
  illegal.set("BLOCK_M", std::int64_t{128});
  illegal.set("BLOCK_N", std::int64_t{128});
  experiment.problem.templates[0].initial_designs = {
      {"the baseline", "", experiment.baseline}, {"too large", "", illegal}, {"wide", "", wide}};
  FakeEvaluator evaluator;
  const Outcome done = run_small(experiment, evaluator);
  EXPECT_EQ(done.trials[1].operator_name, "template_initial");
  EXPECT_EQ(done.trials[2].operator_name, "template_start");
  EXPECT_EQ(done.trials[2].rationale, "the template's start 'wide'");
  EXPECT_EQ(done.trials[2].genome, wide);
  EXPECT_EQ(done.trials[3].operator_name, "random_legal");
}

TEST(Campaign, TheExperimentsStartsComeRightBehindTheBaselineWhateverTheStrategy) {
  auto experiment = small_experiment();
  const auto genome = [&](std::int64_t m, std::int64_t n) {
    model::Genome made = experiment.baseline;
    made.set("BLOCK_M", m);
    made.set("BLOCK_N", n);
    return made;
  };
  // The second is a start of the template as well: it is tried once.
  experiment.initial_designs = {{"tiled", genome(64, 32), "runs/a, trial 5"},
                                {"tiled", genome(16, 64), "the experiment"},
                                {"tiled", genome(128, 128), "what an edited problem forbids"}};
  experiment.problem.templates[0].initial_designs = {{"wide", "", genome(16, 64)},
                                                     {"low", "", genome(16, 16)}};
  for (const std::string& strategy : strategy_names()) {
    experiment.search.strategy = strategy;
    FakeEvaluator evaluator;
    const Outcome done = run_small(experiment, evaluator);
    EXPECT_EQ(done.trials[0].operator_name, "baseline") << strategy;
    for (const std::size_t i : {1U, 2U}) {
      EXPECT_EQ(done.trials[i].operator_name, "experiment_start") << strategy;
      EXPECT_EQ(done.trials[i].genome, experiment.initial_designs[i - 1].genome) << strategy;
    }
    EXPECT_EQ(done.trials[1].rationale, "a design of runs/a, trial 5");
    if (strategy == "exhaustive") continue;
    EXPECT_EQ(done.trials[3].operator_name, "template_initial") << strategy;
    if (strategy == "local") continue;  // it climbs
    EXPECT_EQ(done.trials[4].genome, genome(16, 16)) << strategy;
  }
}

TEST(Campaign, ABrokenEnvironmentEndsItAndWhatWasCommittedStays) {
  const std::string undisturbed = [] {
    FakeEvaluator evaluator;
    return run_small(small_experiment(), evaluator).result.lineage_sha256;
  }();
  FakeEvaluator evaluator;
  std::atomic<int> calls = 0;
  evaluator.on_evaluate = [&](const model::Variant&) {
    if (++calls == 20) throw model::Exception(model::ExitCode::environment, "the worker cannot be started");
  };
  const auto ledger = make_memory_ledger();
  CampaignOptions options;
  options.threads = options.device_threads = 3;
  try {
    (void)run_campaign(small_experiment(), evaluator, *ledger, 1, options);
    FAIL() << "the exception was lost";
  } catch (const model::Exception& error) {
    EXPECT_STREQ(error.what(), "the worker cannot be started");
  }
  EXPECT_GT(ledger->trials().size(), 10u);
  EXPECT_EQ(run_campaign(small_experiment(), evaluator, *ledger, 1, options).lineage_sha256, undisturbed);
}

class CountingObserver final : public CampaignObserver {
 public:
  void on_begin(const CampaignProgress& progress) override { begun = progress.trials; }
  void on_trial(const TrialRecord& trial, const CampaignProgress& progress) override {
    EXPECT_EQ(trial.index + 1, progress.trials);
    ++trials;
  }
  void on_generation(const GenerationRecord& generation, const CampaignProgress&) override {
    generations.push_back(generation.generation);
  }
  void on_event(const EventRecord& event) override { events.push_back(event.kind); }

  std::int64_t begun = -1;
  int trials = 0;
  std::vector<int> generations;
  std::vector<std::string> events;
};

TEST(Campaign, TheObserverHearsEveryCommit) {
  FakeEvaluator evaluator;
  CountingObserver observer;
  CampaignOptions options;
  options.observer = &observer;
  const Outcome done = run_small(small_experiment(), evaluator, options);
  EXPECT_EQ(observer.begun, 0);
  EXPECT_EQ(observer.trials, 48);
  EXPECT_THAT(observer.generations, ::testing::ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_THAT(observer.events, ::testing::ElementsAre("finished"));
}

TEST(Campaign, GenerationsCountWhatHappened) {
  FakeEvaluator evaluator;
  auto experiment = small_experiment();
  experiment.budget.hourly_price = 3600;
  const Outcome done = run_small(experiment, evaluator);
  const auto generations = done.ledger->generations();
  for (const GenerationRecord& generation : generations) {
    int sum = 0;
    for (const auto& [status, number] : generation.counts) sum += number;
    EXPECT_EQ(sum, 8);
    EXPECT_EQ(generation.trials, 8);
    EXPECT_GT(generation.diversity, 0);
    EXPECT_LE(generation.diversity, 1);
    EXPECT_DOUBLE_EQ(generation.cost, generation.device_seconds);
  }
  EXPECT_EQ(generations.back().best_variant, done.result.progress.champion->variant);
  EXPECT_DOUBLE_EQ(generations.back().device_seconds, 0.25 * evaluator.evaluated);
}

TEST(Campaign, ASummaryOfTheLedgerSaysTheSame) {
  FakeEvaluator evaluator;
  const Outcome done = run_small(small_experiment(), evaluator);
  const CampaignResult summary = summarize(*done.ledger, small_experiment());
  EXPECT_EQ(summary.status, done.result.status);
  EXPECT_EQ(summary.lineage_sha256, done.result.lineage_sha256);
  EXPECT_EQ(summary.progress.counts, done.result.progress.counts);
  EXPECT_EQ(summary.progress.champion->variant, done.result.progress.champion->variant);
}

TEST(Campaign, TheWarmRateLeavesOutGenerationZero) {
  Tally tally(small_experiment());
  EXPECT_EQ(trials_per_second(tally.progress()), 0);
  const auto add = [&](std::int64_t index, double elapsed) {
    TrialRecord trial = sample_trial(index);
    trial.generation = static_cast<int>(index / 8);
    trial.elapsed_seconds = elapsed;
    tally.add(trial);
  };
  for (int i = 0; i < 8; ++i) {
    add(i, 10.0 * (i + 1));
    EXPECT_EQ(warm_trials_per_second(tally.progress()), std::nullopt) << i;
  }
  for (int i = 8; i < 15; ++i) {
    add(i, 80.001);
    EXPECT_EQ(warm_trials_per_second(tally.progress()), std::nullopt) << "they ran while generation 0 did";
  }
  add(15, 82);
  add(16, 84.5);
  EXPECT_DOUBLE_EQ(trials_per_second(tally.progress()), 17 / 84.5);
  EXPECT_DOUBLE_EQ(warm_trials_per_second(tally.progress()).value(), 9 / 4.5);
}

TEST(Campaign, KeepsWhatWasCountedOfATrialAndNothingElseDependsOnIt) {
  FakeEvaluator plain, counting;
  counting.counts = [](const model::Variant& variant) {
    model::CounterReading reading;
    reading.kernels.emplace_back();
    reading.kernels[0].workload = "w";
    reading.kernels[0].values["l2_sectors"] = static_cast<double>(variant.source.size());
    return reading;
  };
  const Outcome without = run_small(small_experiment(), plain),
                done = run_small(small_experiment(), counting);
  EXPECT_EQ(done.result.lineage_sha256, without.result.lineage_sha256);
  EXPECT_TRUE(counted_trials(without.ledger->events()).empty());
  const CountedTrials counted = counted_trials(done.ledger->events());
  bool duplicates = false;
  for (const TrialRecord& trial : done.trials) {
    duplicates = duplicates || trial.status == Status::duplicate;
    EXPECT_EQ(counted.contains(trial.index), trial.correct()) << trial.index;
  }
  EXPECT_TRUE(duplicates) << "of whom nothing was counted";
}

void expect_invalid(const model::Experiment& experiment, const std::string& message) {
  FakeEvaluator evaluator;
  try {
    (void)run_small(experiment, evaluator);
    FAIL() << "accepted";
  } catch (const model::Exception& error) {
    EXPECT_EQ(error.code(), model::ExitCode::invalid_configuration);
    EXPECT_THAT(error.what(), HasSubstr(message));
  }
}

TEST(Campaign, WrongExperimentsAreRefused) {
  auto experiment = small_experiment();
  experiment.search.strategy = "annealing";
  expect_invalid(experiment, "there is no strategy 'annealing'; known are genetic, random, local");
  experiment = small_experiment();
  experiment.search.mutators = {{"gene_mutation", 1}, {"magic", 1}};
  expect_invalid(experiment, "there is no mutator 'magic'; known are gene_mutation,");
  experiment = small_experiment();
  experiment.templates = {"tiles"};
  expect_invalid(experiment, "no template 'tiles'; it has tiled, simple");
  experiment = small_experiment();
  experiment.baseline.set("BLOCK_M", std::int64_t{128});
  experiment.baseline.set("BLOCK_N", std::int64_t{128});
  expect_invalid(experiment, "the baseline is not legal: the tile must fit");
}

}  // namespace
}  // namespace evo::engine
