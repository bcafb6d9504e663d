// What a new run takes from earlier ones.
#include "session/priors.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "engine/campaign.hpp"
#include "model/error.hpp"
#include "session/variants.hpp"
#include "tests/support/fake_evaluator.hpp"
#include "tests/support/small_experiment.hpp"

namespace evo::session {
namespace {

namespace fs = std::filesystem;
using evo::testing::small_experiment;

struct Priors : ::testing::Test {
  Priors() {
    std::string pattern = (fs::temp_directory_path() / "evo-priors-XXXXXX").string();
    scratch = ::mkdtemp(pattern.data());
  }
  ~Priors() override { fs::remove_all(scratch); }

  /// A finished run of `experiment` in a folder of that name; its trials.
  std::vector<engine::TrialRecord> run(const std::string& name, const model::Experiment& experiment) {
    const RunFolder folder = create_run(scratch / name);
    evo::testing::FakeEvaluator evaluator;
    const auto ledger = engine::open_sqlite_ledger(folder.ledger(), engine::LedgerMode::create);
    (void)engine::run_campaign(experiment, evaluator, *ledger, 1);
    return ledger->trials();
  }
  model::Experiment after(const std::vector<std::string>& runs, int best = 4) {
    model::Experiment experiment = small_experiment();
    for (const std::string& name : runs)
      experiment.priors.push_back({(scratch / name).string(), best, "new.yaml:7"});
    return experiment;
  }
  static std::string refusal(model::Experiment experiment) {
    try {
      (void)take_priors(experiment);
    } catch (const model::Exception& error) {
      EXPECT_EQ(error.code(), model::ExitCode::invalid_configuration);
      return error.what();
    }
    return "";
  }
  fs::path scratch;
};

TEST_F(Priors, TheChampionComesFirstThenTheOtherTemplatesThenTheNext) {
  const auto trials = run("a", small_experiment());
  const engine::TrialRecord& champion = *find_champion(trials, {});
  ASSERT_NE(champion.genome, small_experiment().baseline);
  model::Experiment experiment = after({"a"}, 5);
  const auto notes = take_priors(experiment);
  EXPECT_FALSE(notes.empty());
  EXPECT_TRUE(experiment.priors.empty());
  ASSERT_EQ(experiment.initial_designs.size(), 5U);
  EXPECT_EQ(experiment.initial_designs[0].template_name, champion.template_name);
  EXPECT_EQ(experiment.initial_designs[0].genome, champion.genome);
  EXPECT_EQ(experiment.initial_designs[0].origin,
            (scratch / "a").string() + ", trial " + std::to_string(champion.index));
  EXPECT_NE(experiment.initial_designs[1].template_name, champion.template_name);
  EXPECT_NE(experiment.resolved_yaml.find("starts:"), std::string::npos)
      << "resume and replay need no folder of another run";
}

TEST_F(Priors, WhatStandsThereAlreadyIsNotTakenTwice) {
  const auto trials = run("a", small_experiment());
  fs::copy(scratch / "a", scratch / "b", fs::copy_options::recursive);
  model::Experiment experiment = after({"a", "b"}, 2);
  experiment.baseline = find_champion(trials, {})->genome;
  experiment.baseline_template = find_champion(trials, {})->template_name;
  (void)take_priors(experiment);
  ASSERT_EQ(experiment.initial_designs.size(), 4U) << "two of a, the next two of b";
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_NE(experiment.initial_designs[i].genome, experiment.baseline);
    for (std::size_t j = 0; j < i; ++j)
      EXPECT_NE(experiment.initial_designs[i].genome, experiment.initial_designs[j].genome);
  }
}

TEST_F(Priors, WhatIsNotLegalHereIsLeftOutAndSaid) {
  const auto trials = run("a", small_experiment());
  const engine::TrialRecord& champion = *find_champion(trials, {});
  model::Experiment experiment = after({"a"});
  // The champion's template is gone; what the other found is still worth a try.
  const std::string other = champion.template_name == "tiled" ? "simple" : "tiled";
  experiment.templates = {other};
  experiment.baseline_template = other;
  experiment.baseline = experiment.problem.find_template(other)->space.initial();
  experiment.problem.content_hash = "problem-2";
  const auto notes = take_priors(experiment);
  EXPECT_EQ(notes.size(), 3U) << "another problem; designs that are not legal; what was taken";
  for (const model::InitialDesign& start : experiment.initial_designs) EXPECT_EQ(start.template_name, other);
  EXPECT_FALSE(experiment.initial_designs.empty());
}

TEST_F(Priors, WhatIsNoRunOrProvedNothingIsRefusedAtItsPlace) {
  EXPECT_TRUE(refusal(after({"nowhere"})).starts_with("new.yaml:7"));
  const RunFolder folder = create_run(scratch / "begun");
  engine::open_sqlite_ledger(folder.ledger(), engine::LedgerMode::create)->begin({});
  EXPECT_TRUE(refusal(after({"begun"})).starts_with("new.yaml:7"));
}

TEST_F(Priors, ARunOfAnotherProblemHasNothingToGive) {
  model::Experiment of_another = small_experiment();
  for (model::Template& kernel : of_another.problem.templates) kernel.name += "_of_another";
  of_another.baseline_template = of_another.problem.templates[0].name;
  const RunFolder folder = create_run(scratch / "foreign");
  evo::testing::FakeEvaluator evaluator;
  evaluator.latency = [](const model::Variant&) { return 7.0; };
  evaluator.fails_correctness = evaluator.fails_resources;
  evaluator.identity = [](const model::Variant& variant) { return variant.id; };
  const auto ledger = engine::open_sqlite_ledger(folder.ledger(), engine::LedgerMode::create);
  (void)engine::run_campaign(of_another, evaluator, *ledger, 1);
  EXPECT_TRUE(refusal(after({"foreign"})).starts_with("new.yaml:7"));
}

TEST_F(Priors, WithoutAnyNothingChanges) {
  model::Experiment experiment = small_experiment();
  const std::string before = experiment.resolved_yaml;
  EXPECT_TRUE(take_priors(experiment).empty());
  EXPECT_EQ(experiment.resolved_yaml, before);
}

}  // namespace
}  // namespace evo::session
