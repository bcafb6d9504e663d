#include <gtest/gtest.h>

#include "config/loader.hpp"
#include "mutators/weights.hpp"
#include "tests/config/files.hpp"

namespace evo::config {
namespace {

using testing::Files;

struct ExperimentLoader : ::testing::Test {
  Files files;
  SearchPath path{{}, {EVO_SOURCE_DIR "/targets"}};  // kernels/ beside experiments/ is found by itself

  model::Expected<model::Experiment> load(const Overrides& overrides = {}) {
    return load_experiment(files.path("experiments/try.yaml"), overrides, path);
  }
  std::string error(const Overrides& overrides = {}) {
    const auto experiment = load(overrides);
    return experiment ? "no error" : experiment.error().text();
  }
  std::string error_after(const std::string& from, const std::string& to) {
    files.edit("experiments/try.yaml", from, to);
    return error();
  }
};

#define EXPECT_HAS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)

TEST_F(ExperimentLoader, ReadsEverything) {
  const auto experiment = load();
  ASSERT_TRUE(experiment) << experiment.error().text();
  EXPECT_EQ(experiment->name, "try");
  EXPECT_EQ(experiment->target.name, "l4");
  EXPECT_EQ(experiment->workloads.at(0).axes.at("n"), 100);
  EXPECT_EQ(experiment->workloads.at(0).axes.at("width"), 2);
  EXPECT_EQ(experiment->baseline.text(), "KIND=a,SYNC=block,THREADS=32");
  EXPECT_EQ(experiment->budget.trials, 12);
  EXPECT_EQ(experiment->search.seed, 9U);
  EXPECT_EQ(experiment->problem.check_workloads.at(0).axes.at("width"), 2);
}

TEST_F(ExperimentLoader, ResolvedYamlReadsBackToItself) {
  const auto first = load({{"search.mutators.neighbour", "0.3"}, {"input_seed", "5"}});
  ASSERT_TRUE(first) << first.error().text();
  files.write("elsewhere/again.yaml", first->resolved_yaml);
  const auto second = load_experiment(files.path("elsewhere/again.yaml"), {}, path);
  ASSERT_TRUE(second) << second.error().text();
  EXPECT_EQ(first->resolved_yaml, second->resolved_yaml);
  EXPECT_EQ(second->search.mutators, first->search.mutators);
  EXPECT_HAS(first->resolved_yaml, "\n  mutators: {gene_mutation: 0.12, uniform_crossover: 0.405, ");
  EXPECT_HAS(first->resolved_yaml, "neighbour: 0.3, ");
  EXPECT_EQ(second->input_seed, 5U);
}

TEST_F(ExperimentLoader, WeightsThatAreNotNamedAreTheStrategys) {
  using mutators::default_weights;
  EXPECT_EQ(load()->search.mutators, default_weights("genetic"));
  EXPECT_EQ(load({{"search.strategy", "local"}})->search.mutators, default_weights("local"));
  auto expected = default_weights("surrogate");
  expected["sync_mutation"] = 0;
  EXPECT_EQ(
      load({{"search.strategy", "surrogate"}, {"search.mutators", "{sync_mutation: 0}"}})->search.mutators,
      expected);
}

TEST_F(ExperimentLoader, WrongWeightsNameTheirPlaceAndTheRightWord) {
  const auto wrong = [&](const std::string& text) {
    files.edit("experiments/try.yaml", "search: {", "search: {mutators: " + text + ", ");
    const std::string found = error();
    files.edit("experiments/try.yaml", "mutators: " + text + ", ", "");
    return found;
  };
  EXPECT_HAS(wrong("{gene_mutatoin: 1}"),
             "unknown key 'search.mutators.gene_mutatoin' (did you mean 'gene_mutation'?)");
  EXPECT_HAS(wrong("{gene_mutatoin: 1}"), "try.yaml:11:21");
  EXPECT_HAS(wrong("{neighbour: -0.5}"), "search.mutators.neighbour: -0.5 is out of range");
  EXPECT_HAS(wrong("{neighbour: -0.5}"), "try.yaml:11:32");
  EXPECT_HAS(wrong("{neighbour: often}"), "expected a number, not 'often'");
  EXPECT_HAS(wrong("[gene_mutatoin]"), "unknown mutator 'gene_mutatoin' (did you mean 'gene_mutation'?)");
  EXPECT_HAS(wrong("[gene_mutatoin]"), "try.yaml:11:21");
  const std::string zero = "gene_mutation: 0, uniform_crossover: 0, insight_guided: 0, sync_mutation: 0, ";
  EXPECT_HAS(wrong("{" + zero + "neighbour: 0, random_immigrant: 0}"), "every weight is 0");
  EXPECT_HAS(wrong("{" + zero + "neighbour: 0, random_immigrant: 0}"), "try.yaml:11:");
  EXPECT_HAS(wrong("{" + zero + "neighbour: 1e-3}"), "no error");
  EXPECT_HAS(wrong("gene_mutation"), "expected a list");
}

/// Runs and experiments from before there were weights.
TEST_F(ExperimentLoader, OlderFormsBecomeWeights) {
  const auto weights = [&](const Overrides& overrides) { return load(overrides)->search.mutators; };
  const auto expect_near = [](const auto& some, const auto& others) {
    ASSERT_EQ(some.size(), others.size());
    for (const auto& [name, weight] : some) EXPECT_NEAR(weight, others.at(name), 1e-12) << name;
  };
  auto listed = weights({{"search.mutators", "[gene_mutation]"}});
  for (const auto& [name, weight] : listed)
    EXPECT_EQ(weight > 0, name == "gene_mutation" || name == "neighbour") << name;
  EXPECT_EQ(weights({{"search.mutators", "[uniform_crossover]"}}).at("neighbour"), 0);
  EXPECT_EQ(weights({{"search.mutators", "[]"}}), weights({}));
  // These were the defaults.
  expect_near(weights({{"search.crossover", "0.6"}, {"search.immigrants", "0.1"}}), weights({}));
  const auto crossed = weights({{"search.crossover", "1"}});
  EXPECT_EQ(crossed.at("gene_mutation"), 0);
  EXPECT_EQ(crossed.at("neighbour"), weights({}).at("neighbour"));
  // A fifth of what is bred or fresh.
  const auto fresh = weights({{"search.immigrants", "0.2"}});
  EXPECT_NEAR(fresh.at("random_immigrant"), 0.25 * 0.675, 1e-12);
  EXPECT_EQ(weights({{"search.immigrants", "1"}}).at("neighbour"), 0);
  EXPECT_EQ(weights({{"search.immigrants", "0.2"}, {"search.mutators", "[gene_mutation]"}}), listed);
  EXPECT_HAS(error({{"search.crossover", "7"}, {"search.strategy", "local"}}), "7 is out of range");
  EXPECT_HAS(error({{"search.immigrants", "0.2"}, {"search.mutators", "{neighbour: 1}"}}),
             "search.immigrants: it is an older form of mutators");
}

TEST_F(ExperimentLoader, OverridesReachNestedKeys) {
  const auto experiment =
      load({{"search.population", "7"}, {"baseline.genes.KIND", "b"}, {"baseline.genes.THREADS", "64"}});
  ASSERT_TRUE(experiment) << experiment.error().text();
  EXPECT_EQ(experiment->search.population, 7);
  EXPECT_EQ(experiment->baseline.text(), "KIND=b,SYNC=block,THREADS=64");
}

TEST_F(ExperimentLoader, BadOverrides) {
  EXPECT_HAS(error({{"search.popluation", "7"}}),
             "unknown key 'search.popluation' (did you mean 'population'?)");
  EXPECT_HAS(error({{"name.first", "x"}}), "stands below a value that has no keys");
  EXPECT_HAS(error({{"search.seed", "[1"}}), "--set search.seed=[1");
  EXPECT_FALSE(parse_override("search.seed"));
  EXPECT_EQ(parse_override("a.b=c=d").value().second, "c=d");
}

TEST_F(ExperimentLoader, UnknownKeyHasFileLineColumn) {
  const std::string text = error_after("search: {population", "search: {populaton");
  EXPECT_HAS(text, "unknown key 'search.populaton' (did you mean 'population'?)");
  EXPECT_HAS(text, "try.yaml:11:10");
}

TEST_F(ExperimentLoader, WrongType) {
  const std::string text = error_after("generations: 3", "generations: three");
  EXPECT_HAS(text, "search.generations: expected an integer, not 'three'");
  EXPECT_HAS(text, "try.yaml:11:");
}

TEST_F(ExperimentLoader, OutOfRange) {
  EXPECT_HAS(error_after("population: 4", "population: 0"), "0 is out of range");
}

TEST_F(ExperimentLoader, ImpossibleGene) {
  EXPECT_HAS(error_after("THREADS: 32", "THREADS: 33"), "33 is none of 32, 64");
}

TEST_F(ExperimentLoader, UnknownGene) {
  EXPECT_HAS(error_after("THREADS: 32", "THREAD: 32"),
             "unknown key 'baseline.genes.THREAD' (did you mean 'THREADS'?)");
}

TEST_F(ExperimentLoader, IllegalBaselineSaysWhichConstraint) {
  EXPECT_HAS(error_after("{THREADS: 32}", "{THREADS: 32, KIND: b}"), "b needs 64 threads");
}

TEST_F(ExperimentLoader, MissingFile) {
  const auto experiment = load_experiment(files.path("experiments/nothing.yaml"), {}, path);
  ASSERT_FALSE(experiment);
  EXPECT_HAS(experiment.error().text(), "cannot be read");
}

TEST_F(ExperimentLoader, AFolderIsNoFile) {
  const auto experiment = load_experiment(files.path("experiments"), {}, path);
  ASSERT_FALSE(experiment);
  EXPECT_HAS(experiment.error().text(), "is a folder");
}

TEST_F(ExperimentLoader, AKernelAndAProblemAreNoExperiments) {
  files.write("experiments/add.cu", "__global__ void add(const float* a, float* b) { b[0] = a[0]; }\n");
  const auto kernel = load_experiment(files.path("experiments/add.cu"), {}, path);
  ASSERT_FALSE(kernel);
  EXPECT_HAS(kernel.error().text(), "evo tune");
  files.write("experiments/one/problem.yaml", "axes: {n: {initial: 4}}\nargs: []\n");
  files.write("experiments/one/experiment.yaml", "name: one\n");
  const auto problem = load_experiment(files.path("experiments/one/problem.yaml"), {}, path);
  ASSERT_FALSE(problem);
  EXPECT_HAS(problem.error().text(), "experiment.yaml");
  const auto folder = load_experiment(files.path("experiments/one"), {}, path);
  ASSERT_FALSE(folder);
  EXPECT_HAS(folder.error().text(), "one/experiment.yaml");
}

TEST_F(ExperimentLoader, UnknownTargetAndDevice) {
  EXPECT_HAS(error({{"target", "sm_89"}}), "l4");
  EXPECT_HAS(error({{"target", "l5"}}), "unknown target 'l5'");
  EXPECT_HAS(error({{"device", "cuda"}}), "unknown device 'cuda'");
  EXPECT_HAS(error({{"device", "cuda:x"}}), "unknown device");
  EXPECT_EQ(load({{"device", "cuda:1"}})->device, "cuda:1");
  for (const char* several : {"cuda:all", "cuda:0,2"})
    EXPECT_EQ(load({{"device", several}})->device, several);
  for (const char* wrong :
       {"cuda:0,", "cuda:,0", "cuda:0,0", "cuda:0,x", "cuda:0, 1", "cuda:al", "cuda:99999"})
    EXPECT_HAS(error({{"device", wrong}}), "cuda:all");
}

TEST_F(ExperimentLoader, LaunchPlanThatDividesByZeroNamesTheProblemFile) {
  files.edit("kernels/copy/problem.yaml", "ceil_div(n, THREADS)", "ceil_div(n, THREADS - 32)");
  const std::string text = error();
  EXPECT_HAS(text, "problem.yaml:32");
  EXPECT_HAS(text, "division by zero");
  EXPECT_HAS(text, "workload w");
}

TEST_F(ExperimentLoader, CompileTimeAxesHaveOneValue) {
  const std::string text =
      error_after("- {name: w, n: 100}", "- {name: w, n: 100, width: 2}\n  - {name: v, n: 100, width: 4}");
  EXPECT_HAS(text, "width is a compile-time axis");
}

TEST_F(ExperimentLoader, TwoWorkloadsOfOneName) {
  EXPECT_HAS(error_after("- {name: w, n: 100}", "- {name: w, n: 100}\n  - {name: w, n: 5}"),
             "two workloads are named w");
}

TEST_F(ExperimentLoader, MoneyNeedsAPrice) {
  EXPECT_HAS(error({{"budget.money", "3"}}), "hourly_price");
}

}  // namespace
}  // namespace evo::config
