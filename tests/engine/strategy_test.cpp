#include "engine/strategy.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "engine/proposer.hpp"
#include "mutators/weights.hpp"
#include "tests/engine/campaign_support.hpp"

namespace evo::engine {
namespace {

using evo::testing::FakeEvaluator;
using evo::testing::small_experiment;
using ::testing::HasSubstr;

/// A small recorded space: every legal genome of `tiled`, with a rugged latency; barriers at full. Trials
/// that go through it cost nothing, so that a strategy can be judged over many seeds.
double recorded_latency(const model::Variant& variant) {
  const std::string key = variant.genome.text();
  std::uint64_t hash = 1469598103934665603ULL;
  for (const char c : key) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  return FakeEvaluator::surface(variant) * (1 + 0.1 * static_cast<double>(hash % 1000) / 1000);
}

model::Experiment recorded_experiment(const char* strategy, std::uint64_t seed) {
  auto experiment = small_experiment();
  experiment.templates = {"tiled"};
  experiment.search.strategy = strategy;
  experiment.search.seed = seed;
  experiment.search.population = 10;
  experiment.search.generations = 8;
  return experiment;
}

double mean_log_best(const char* strategy, int seeds) {
  double sum = 0;
  for (int seed = 1; seed <= seeds; ++seed) {
    FakeEvaluator evaluator;
    evaluator.latency = recorded_latency;
    const Outcome done =
        run_small(recorded_experiment(strategy, static_cast<std::uint64_t>(seed)), evaluator);
    sum += std::log(done.result.progress.champion->latency()->microseconds);
  }
  return sum / seeds;
}

TEST(Strategies, GeneticAndLocalSearchBeatRandomSearchOnARecordedSpace) {
  const double random = mean_log_best("random", 20);
  EXPECT_LT(mean_log_best("genetic", 20), random - 0.02);
  EXPECT_LT(mean_log_best("local", 20), random - 0.02);
}

TEST(Strategies, GeneticSearchFindsTheOptimumOfASmallSpace) {
  int found = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    FakeEvaluator evaluator;
    const Outcome done = run_small(recorded_experiment("genetic", seed), evaluator);
    found += done.result.progress.champion->latency()->microseconds < 8.0001 ? 1 : 0;
  }
  EXPECT_GE(found, 15);
}

/// Weights that switch off every operator that is not named.
std::map<std::string, double, std::less<>> only(std::map<std::string, double, std::less<>> weights) {
  for (const std::string& name : mutators::operator_names()) weights.try_emplace(name, 0);
  return weights;
}

/// Trials as a campaign would have them, without running one.
std::vector<TrialRecord> recorded_trials(const model::Experiment& experiment) {
  FakeEvaluator evaluator;
  return run_small(experiment, evaluator).trials;
}

RC_GTEST_PROP(Strategies, ProposalsAreLegalForAnySettings, (std::uint64_t seed)) {
  auto experiment = small_experiment();
  experiment.search.seed = seed;
  experiment.search.strategy = *rc::gen::element<std::string>("genetic", "local", "random");
  experiment.search.max_in_flight = *rc::gen::inRange(1, 20);
  experiment.search.population = *rc::gen::inRange(1, 12);
  experiment.search.generations = 4;
  experiment.search.mutation = *rc::gen::element(0.0, 0.3, 1.0);
  for (const std::string& name : mutators::operator_names())
    experiment.search.mutators[name] = *rc::gen::element(0.0, 0.2, 1.0);
  experiment.search.mutators["random_immigrant"] += 0.01;
  const SearchSpace space = make_search_space(experiment);
  for (const TrialRecord& trial : recorded_trials(experiment)) {
    RC_ASSERT(space.find(trial.template_name)->space.legal(trial.genome));
    RC_ASSERT(!trial.rationale.empty());
  }
}

TEST(Strategies, AProposalDependsOnThePrefixThatItSeesOnly) {
  for (const char* strategy : {"genetic", "local", "random"}) {
    auto experiment = small_experiment();
    experiment.search.strategy = strategy;
    const auto trials = recorded_trials(experiment);
    const SearchSpace space = make_search_space(experiment);
    for (const std::int64_t index : {5, 8, 13, 30, 47}) {
      Proposer one(experiment.search, space), two(experiment.search, space);
      for (std::int64_t i = 0; i < index; ++i) {
        const auto& trial = trials[static_cast<std::size_t>(i)];
        one.note(i, trial.template_name, trial.genome);
        two.note(i, trial.template_name, trial.genome);
      }
      auto disturbed = trials;
      for (auto i = static_cast<std::size_t>(index - experiment.search.max_in_flight + 1);
           i < disturbed.size(); ++i) {
        disturbed[i].status = model::Status::wrong;
        disturbed[i].latencies.clear();
      }
      const Proposal a = one.ask(index, trials);
      const Proposal b = two.ask(index, disturbed);
      EXPECT_EQ(a.genome, b.genome) << strategy << index;
      EXPECT_EQ(a.rationale, b.rationale);
      EXPECT_EQ(a.genome, trials[static_cast<std::size_t>(index)].genome);
    }
  }
}

TEST(Strategies, AResultAtTheEdgeOfTheWindowIsSeen) {
  auto experiment = small_experiment();
  const auto trials = recorded_trials(experiment);
  const SearchSpace space = make_search_space(experiment);
  int changed = 0;
  for (std::int64_t index = 12; index < 48; ++index) {
    Proposer one(experiment.search, space), two(experiment.search, space);
    auto disturbed = trials;
    TrialRecord& edge = disturbed[static_cast<std::size_t>(index - experiment.search.max_in_flight)];
    edge.status = model::Status::better;
    edge.latencies = trials[0].latencies;
    edge.latencies[0].latency.microseconds = 0.001;
    changed += one.ask(index, trials).genome != two.ask(index, disturbed).genome ? 1 : 0;
  }
  EXPECT_GT(changed, 10);
}

TEST(Strategies, RationalesCiteInsightsOnlyWhereTheyAreOnAndThePresetLetsThemThrough) {
  const auto cited = [](const char* strategy, bool insights, const char* preset) {
    auto experiment = small_experiment();
    experiment.search.strategy = strategy;
    experiment.search.mutators = {{"insight_guided", 0.3}};
    experiment.search.insights = insights;
    experiment.search.preset = preset;
    // Of eight a generation hardly any effect is significant by then: a handful of trials cite one, or none.
    experiment.search.population = 16;
    experiment.search.generations = 10;
    int count = 0;
    FakeEvaluator evaluator;
    const Outcome done = run_small(experiment, evaluator);
    std::set<std::string> known;
    for (const auto& of_generation : done.ledger->insights()) {
      for (const auto& effect : of_generation.effects) known.insert(effect.id);
      for (const auto& pattern : of_generation.failures) known.insert(pattern.id);
    }
    for (const TrialRecord& trial : done.trials) {
      for (const std::string& id : known) {
        if (trial.rationale.find(id + " (") == std::string::npos) continue;
        ++count;
        // An insight is used in the generation that it was made for.
        EXPECT_EQ(id.substr(0, id.find('-')), "g" + std::to_string(trial.generation));
        break;
      }
    }
    return count;
  };
  for (const char* strategy : {"genetic", "surrogate"}) {
    EXPECT_GT(cited(strategy, true, "full"), 5) << strategy;
    EXPECT_GT(cited(strategy, true, "insight"), 5) << strategy;
    EXPECT_EQ(cited(strategy, true, "free"), 0) << strategy;
    EXPECT_EQ(cited(strategy, false, "full"), 0) << strategy;
  }
}

TEST(Strategies, OnlyEnabledMutatorsAreUsed) {
  auto experiment = small_experiment();
  experiment.search.mutators = only({{"gene_mutation", 1}, {"neighbour", 0.3}});
  experiment.search.generations = 8;
  std::map<std::string, int> operators;
  for (const TrialRecord& trial : recorded_trials(experiment)) {
    if (trial.generation > 0) ++operators[trial.operator_name];
  }
  EXPECT_EQ(operators.count("uniform_crossover"), 0u);
  EXPECT_EQ(operators.count("insight_guided"), 0u);
  EXPECT_EQ(operators.count("sync_mutation"), 0u);
  EXPECT_EQ(operators.count("random_immigrant"), 0u);
  EXPECT_GT(operators["gene_mutation"], 30);
  EXPECT_GT(operators["neighbour"], 0);
}

/// The operators that made a trial: "a+b" -> a, b.
std::vector<std::string> steps_of(const TrialRecord& trial) {
  std::vector<std::string> steps(1);
  for (const char c : trial.operator_name) {
    if (c == '+') {
      steps.emplace_back();
    } else {
      steps.back() += c;
    }
  }
  return steps;
}

TEST(Strategies, AWeightOfZeroSwitchesAnOperatorOff) {
  for (const char* strategy : {"genetic", "local", "surrogate"}) {
    for (const std::string& name : mutators::operator_names()) {
      auto experiment = small_experiment();
      experiment.search.strategy = strategy;
      for (const std::string& other : mutators::operator_names()) experiment.search.mutators[other] = 1;
      experiment.search.mutators[name] = 0;
      for (const TrialRecord& trial : recorded_trials(experiment)) {
        if (trial.generation == 0) continue;
        // A fresh genome comes where nothing else can, and says so.
        if (name == "random_immigrant" && trial.parents.empty()) continue;
        for (const std::string& step : steps_of(trial)) EXPECT_NE(step, name) << strategy;
      }
    }
  }
}

// A space so large that the best of hundreds of offspring has better neighbours, which a climb would find.
TEST(Strategies, WithoutNeighboursTheModelClimbsNowhere) {
  const auto climbed = [](double weight) {
    auto experiment = small_experiment();
    std::vector<model::Gene> genes;
    for (const char* name : {"A", "B", "C", "D", "E", "F", "G", "H"})
      genes.push_back(integer_gene(name, {1, 2, 3, 4, 5, 6, 7, 8}, 1));
    experiment.problem.templates = {small_template("wide", model::Space(genes, {}))};
    experiment.baseline_template = "wide";
    experiment.baseline = experiment.problem.templates[0].space.initial();
    experiment.search.strategy = "surrogate";
    experiment.search.generations = 8;
    for (const std::string& name : mutators::operator_names()) experiment.search.mutators[name] = 1;
    experiment.search.mutators["neighbour"] = weight;
    FakeEvaluator evaluator;
    evaluator.fails_correctness = [](const model::Variant&) { return std::nullopt; };
    evaluator.identity = [](const model::Variant& variant) { return variant.id; };
    evaluator.latency = [](const model::Variant& variant) {
      double sum = 1;
      for (const auto& [name, value] : variant.genome.values())
        sum += std::abs(static_cast<double>(std::get<std::int64_t>(value)) - (name < "E" ? 6 : 3));
      return sum;
    };
    int count = 0;
    for (const TrialRecord& trial : run_small(experiment, evaluator).trials) {
      const std::vector<std::string> steps = steps_of(trial);
      if (steps.size() > 1 && steps.back() == "neighbour") ++count;
    }
    return count;
  };
  EXPECT_GT(climbed(1), 0);
  EXPECT_EQ(climbed(0), 0);
}

TEST(Strategies, LineageNamesOperatorsForEveryStrategy) {
  const std::set<std::string> others{
      "baseline", "template_initial", "template_start", "random_legal", "restart", "probe", "exhaustive"};
  for (const std::string& strategy : strategy_names()) {
    auto experiment = small_experiment();
    experiment.search.strategy = strategy;
    experiment.search.generations = 10;
    for (const TrialRecord& trial : recorded_trials(experiment)) {
      for (const std::string& step : steps_of(trial)) {
        const auto& names = mutators::operator_names();
        EXPECT_TRUE(others.contains(step) || std::ranges::find(names, step) != names.end())
            << strategy << ": " << trial.operator_name;
      }
      const bool crossed = trial.operator_name.starts_with("uniform_crossover");
      EXPECT_EQ(trial.parents.size() == 2, crossed) << strategy << ": " << trial.operator_name;
    }
  }
}

TEST(Strategies, TheGeneticOneUsesEveryOperator) {
  auto experiment = small_experiment();
  experiment.search.generations = 30;
  std::set<std::string> operators;
  for (const TrialRecord& trial : recorded_trials(experiment)) operators.insert(trial.operator_name);
  for (const char* name : {"baseline", "template_initial", "random_legal", "gene_mutation",
                           "uniform_crossover", "uniform_crossover+gene_mutation", "insight_guided",
                           "sync_mutation", "random_immigrant", "neighbour"}) {
    EXPECT_TRUE(operators.contains(name)) << name;
  }
}

TEST(Strategies, TheGeneticOneLooksAroundItsBestOneGeneAtATime) {
  auto experiment = small_experiment();
  experiment.search.generations = 20;
  std::map<std::string, const TrialRecord*> by_id;
  std::set<std::string> tried;
  int neighbours = 0;
  const auto trials = recorded_trials(experiment);
  for (const TrialRecord& trial : trials) {
    by_id.emplace(trial.variant, &trial);
    const bool fresh = tried.insert(trial.template_name + trial.genome.text()).second;
    if (trial.operator_name != "neighbour") continue;
    ++neighbours;
    EXPECT_TRUE(fresh) << trial.genome.text();
    ASSERT_EQ(trial.parents.size(), 1U);
    const TrialRecord& centre = *by_id.at(trial.parents[0]);
    EXPECT_TRUE(centre.correct());
    int differing = 0;
    for (const auto& [gene, value] : centre.genome.values())
      differing += trial.genome.at(gene) != value ? 1 : 0;
    EXPECT_EQ(differing, 1) << trial.rationale;
  }
  EXPECT_GT(neighbours, 10);
}

TEST(Strategies, LocalSearchClimbsByNeighboursAndRestarts) {
  auto experiment = small_experiment();
  experiment.search.strategy = "local";
  experiment.search.generations = 30;
  experiment.templates = {"tiled"};
  const auto trials = recorded_trials(experiment);
  std::map<std::string, const TrialRecord*> by_id;
  int neighbours = 0, restarts = 0;
  for (const TrialRecord& trial : trials) {
    by_id.emplace(trial.variant, &trial);
    restarts += trial.operator_name == "restart" ? 1 : 0;
    if (trial.parents.empty()) continue;
    int differing = 0;
    const model::Genome& parent = by_id.at(trial.parents[0])->genome;
    for (const auto& [gene, value] : parent.values()) differing += trial.genome.at(gene) != value ? 1 : 0;
    neighbours += differing == 1 ? 1 : 0;
  }
  EXPECT_GT(restarts, 0);
  EXPECT_GT(neighbours, 60);
}

}  // namespace
}  // namespace evo::engine
