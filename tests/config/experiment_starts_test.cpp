// `starts` and `priors` of an experiment: what is read, what a resolved experiment keeps, what is refused.
#include <gtest/gtest.h>

#include "config/experiment_starts.hpp"
#include "config/loader.hpp"
#include "config/resolved.hpp"
#include "model/edits.hpp"
#include "tests/config/files.hpp"

namespace evo::config {
namespace {

using testing::Files;

struct ExperimentStarts : ::testing::Test {
  Files files;
  SearchPath path{{}, {EVO_SOURCE_DIR "/targets"}};

  /// The experiment with `text` before its search.
  model::Expected<model::Experiment> with(const std::string& text) {
    files.write("experiments/try.yaml", testing::small_experiment);
    files.edit("experiments/try.yaml", "search:", text + "\nsearch:");
    return load_experiment(files.path("experiments/try.yaml"), {}, path);
  }
  std::string error_with(const std::string& text) {
    const auto experiment = with(text);
    return experiment ? "no error" : experiment.error().text();
  }
};

#define EXPECT_HAS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)

TEST_F(ExperimentStarts, ADesignIsCompletedAndSaysWhoNamedIt) {
  const auto read = with("starts: [{genes: {KIND: b}}, {template: plain, origin: 'runs/a, trial 5'}]");
  ASSERT_TRUE(read) << read.error().text();
  ASSERT_EQ(read->initial_designs.size(), 2U);
  EXPECT_EQ(read->initial_designs[0].genome.text(), "KIND=b,SYNC=block,THREADS=64");
  EXPECT_EQ(read->initial_designs[0].origin, "the experiment");
  EXPECT_EQ(read->initial_designs[1].genome.text(), "KIND=a,SYNC=block,THREADS=64");
  EXPECT_EQ(read->initial_designs[1].origin, "runs/a, trial 5");
}

TEST_F(ExperimentStarts, TheResolvedExperimentKeepsThemEditsIncluded) {
  auto experiment = with("starts: [{genes: {KIND: b}}]");
  ASSERT_TRUE(experiment) << experiment.error().text();
  const source::Edit edit{"statement_copy", "copy/1.2#9af01c22", "before \"x: [1]\", 'y';"};
  experiment->initial_designs[0].genome = model::with_edits(experiment->initial_designs[0].genome, {edit});
  files.write("elsewhere/again.yaml", resolved_yaml(*experiment));
  const auto again = load_experiment(files.path("elsewhere/again.yaml"), {}, path);
  ASSERT_TRUE(again) << again.error().text();
  ASSERT_EQ(again->initial_designs.size(), 1U);
  EXPECT_EQ(again->initial_designs[0].genome, experiment->initial_designs[0].genome);
  EXPECT_EQ(model::edits_of(again->initial_designs[0].genome), source::Edits{edit});
}

TEST_F(ExperimentStarts, WithoutThemTheResolvedExperimentIsWhatItWas) {
  EXPECT_EQ(with("")->resolved_yaml.find("starts"), std::string::npos);
  EXPECT_EQ(with("priors: [runs/a]")->resolved_yaml, with("")->resolved_yaml)
      << "priors become starts before a run begins";
}

TEST_F(ExperimentStarts, WhatIsNoDesignIsRefusedAtItsPlace) {
  EXPECT_HAS(error_with("starts: [{genes: {THREADS: 32, KIND: b}}]"), "b needs 64 threads");
  EXPECT_HAS(error_with("starts: [{genes: {THREADS: 32, KIND: b}}]"), "try.yaml:11:");
  EXPECT_HAS(error_with("starts: [{genes: {THREAD: 32}}]"), "did you mean 'THREADS'?");
  EXPECT_HAS(error_with("starts: [{gene: {THREADS: 32}}]"), "did you mean 'genes'?");
  EXPECT_HAS(error_with("starts: [{template: plian}]"), "did you mean 'plain'?");
  EXPECT_HAS(error_with("starts: [{genes: {'~00': nonsense}}]"), "starts[0].genes.~00");
  EXPECT_HAS(error_with("starts: [{genes: {THREADS: 32}}]"), "the design is the baseline");
  EXPECT_HAS(error_with("starts: [{genes: {KIND: b}}, {genes: {KIND: b}}]"), "starts[1]");
}

TEST_F(ExperimentStarts, PriorsAreFoldersFromTheExperimentsOrTheWorkingFolder) {
  files.write("experiments/runs/a/ledger.sqlite", "");
  const auto experiment = with("priors: [runs/a, {run: runs/b, best: 7}]");
  ASSERT_TRUE(experiment) << experiment.error().text();
  ASSERT_EQ(experiment->priors.size(), 2U);
  EXPECT_EQ(experiment->priors[0].run, files.path("experiments/runs/a"));
  EXPECT_EQ(experiment->priors[0].best, 4);
  EXPECT_EQ(experiment->priors[1].run, "runs/b");
  EXPECT_EQ(experiment->priors[1].best, 7);
  EXPECT_HAS(experiment->priors[1].place, "try.yaml:11");
  EXPECT_HAS(error_with("priors: [{run: a, bets: 1}]"), "did you mean 'best'?");
  EXPECT_HAS(error_with("priors: [{run: a, best: 0}]"), "try.yaml:11:");
  EXPECT_HAS(error_with("priors: [{best: 2}]"), "run");
  EXPECT_HAS(error_with("priors: ['']"), "priors[0]");
}

}  // namespace
}  // namespace evo::config
