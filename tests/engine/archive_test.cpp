// An archive of behaviour: cells, their fastest, and runs whose parents come from them.
#include "engine/archive.hpp"

#include <gtest/gtest.h>

#include <set>

#include "engine/replay.hpp"
#include "model/archive.hpp"
#include "tests/engine/campaign_support.hpp"

namespace evo::engine {
namespace {

TrialRecord correct_trial(std::int64_t index, double microseconds, const std::string& sectors,
                          const std::string& pipe = "fp32") {
  TrialRecord trial;
  trial.index = index;
  trial.variant = "v" + std::to_string(index);
  trial.template_name = "simple";
  trial.status = model::Status::tie;
  trial.latencies = {{"w", 1, {model::LatencyKind::modelled, microseconds, {}, 1, ""}}};
  model::Evidence did{std::string(model::behaviour_kind), "", {}, 0, {}};
  did.details = {{"sectors", sectors}, {"pipe", pipe}};
  trial.evidence = {did};
  trial.resources = model::ResourceUsage{};
  trial.resources->registers = 40;
  return trial;
}

TEST(Archive, CellsArePowersOfTwoStepsAndUnits) {
  const std::vector<std::string> axes{"sectors", "registers", "pipe", "occupancy"};
  const Cell cell = cell_of(correct_trial(0, 1, "1000"), axes);
  EXPECT_EQ(cell, cell_of(correct_trial(0, 1, "700"), axes));
  EXPECT_NE(cell, cell_of(correct_trial(0, 1, "1100"), axes));
  EXPECT_NE(cell, cell_of(correct_trial(0, 1, "1000", "dram"), axes));
  EXPECT_EQ(cell[1], 2);
  EXPECT_EQ(cell[3], -1) << "nobody counted it";
  TrialRecord bare = correct_trial(0, 1, "1");
  bare.evidence.clear();
  bare.resources.reset();
  EXPECT_EQ(cell_of(bare, axes), (Cell{-1, -1, -1, -1}));
}

TEST(Archive, KeepsTheFastestOfEachCell) {
  std::vector<TrialRecord> trials{correct_trial(0, 5, "100"), correct_trial(1, 4, "100"),
                                  correct_trial(2, 9, "10"), correct_trial(3, 3, "5000")};
  trials[3].status = model::Status::wrong;
  const std::vector<std::string> axes{"sectors"};
  auto elites = elites_of_cells(trials, axes);
  ASSERT_EQ(elites.size(), 2U);
  EXPECT_EQ(elites[0].trial->variant, "v1");
  EXPECT_EQ(elites[1].trial->variant, "v2");
  trials[0].template_name = "other";
  EXPECT_EQ(elites_of_cells(trials, axes).size(), 3U);
}

TEST(Archive, OnlyRightVariantsKeepWhatTheyDid) {
  evaluators::Evaluation evaluation;
  evaluation.notes = {{std::string(model::behaviour_kind), "", {}, 0, {}}, {"correct_for", "", {}, 0, {}}};
  TrialRecord correct = correct_trial(0, 1, "1"), wrong = correct;
  wrong.status = model::Status::wrong;
  record_behaviour(correct, evaluation);
  record_behaviour(wrong, evaluation);
  EXPECT_EQ(correct.evidence.size(), 2U);
  EXPECT_EQ(wrong.evidence.size(), 1U);
}

/// Slow variants behave unlike fast ones.
void judge(testing::FakeEvaluator& evaluator) {
  evaluator.behaviour = [](const model::Variant& variant) {
    const std::size_t hash = std::hash<std::string>()(variant.id);
    return std::vector<std::pair<std::string, std::string>>{{"sectors", std::to_string(1U << hash % 12)}};
  };
}

model::Experiment with_archive() {
  model::Experiment experiment = testing::small_experiment();
  experiment.search.archive = {"sectors"};
  return experiment;
}

TEST(Archive, ParentsComeFromCellsThatRankWouldNotTake) {
  testing::FakeEvaluator evaluator;
  judge(evaluator);
  model::Experiment experiment = with_archive();
  const auto parents = [&] {
    std::set<std::string> names;
    for (const TrialRecord& trial : run_small(experiment, evaluator).trials)
      names.insert(trial.parents.begin(), trial.parents.end());
    return names;
  };
  const auto of_cells = parents();
  experiment.search.archive_share = 0;
  const auto by_rank = parents();
  experiment.search.archive.clear();
  EXPECT_NE(of_cells, by_rank);
}

TEST(Archive, TheLineageDependsOnNoThreadAndSurvivesACrash) {
  std::set<std::string> lineages;
  const model::Experiment experiment = with_archive();
  for (const int threads : {1, 4}) {
    testing::FakeEvaluator evaluator;
    judge(evaluator);
    evaluator.most_delay_us = threads == 1 ? 0 : 500;
    CampaignOptions options;
    options.threads = threads;
    options.device_threads = threads;
    lineages.insert(run_small(experiment, evaluator, options).result.lineage_sha256);
  }
  testing::FakeEvaluator evaluator;
  judge(evaluator);
  const auto ledger = make_memory_ledger();
  CrashingLedger crashing(*ledger, 20, true);
  EXPECT_THROW((void)run_campaign(experiment, evaluator, crashing, 1, {}), CrashingLedger::Crash);
  lineages.insert(run_campaign(experiment, evaluator, *ledger, 1, {}).lineage_sha256);
  EXPECT_EQ(lineages.size(), 1U);
  EXPECT_TRUE(replay_run(experiment, evaluator, *ledger, {}).mismatches.empty());
}

TEST(Archive, EditsOfTheTextTakeParentsFromItToo) {
  testing::FakeEvaluator evaluator;
  judge(evaluator);
  model::Experiment experiment = with_archive();
  for (model::Template& kernel : experiment.problem.templates)
    kernel.source =
        "extern \"C\" __global__ void simple(float* x) {\n  __syncthreads();\n  x[0] = 1;\n"
        "  for (int i = 0; i < 4; ++i) x[i] += 1;\n}\n";
  experiment.search.mutators["source_edits"] = 4;
  const std::string with = run_small(experiment, evaluator).result.lineage_sha256;
  experiment.search.archive_share = 0;
  EXPECT_NE(run_small(experiment, evaluator).result.lineage_sha256, with);
}

}  // namespace
}  // namespace evo::engine
