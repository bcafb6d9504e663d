// Runs in which two edits are correct only together: each alone is wrong by a few elements.
#include <algorithm>
#include <cmath>
#include <set>

#include <gtest/gtest.h>

#include "engine/operator_counts.hpp"
#include "engine/replay.hpp"
#include "engine/strategies/near_correct.hpp"
#include "tests/engine/edited_kernel.hpp"

namespace evo::engine {
namespace {

model::Failure wrong(const std::string& share, const std::string& times) {
  model::Evidence evidence{"mismatch", "some elements", "simple.cu", 0, {}};
  evidence.details = {{"wrong_share", share}, {"times_bound", times}};
  return {model::Status::wrong, "mismatch", {evidence}};
}

/// The barriers of lines 3 and 9 go together; the others are needed.
std::optional<model::Failure> together(const model::Variant& variant) {
  const std::size_t write = variant.source.find("s[threadIdx.x] = "), read = variant.source.find("s[63 - "),
                    last = variant.source.find("x[threadIdx.x] = y");
  if (write >= read || read >= last || last == std::string::npos) return wrong("1", "inf");
  const bool first_gone = variant.source.substr(0, write).find("__sync") == std::string::npos;
  const bool last_gone = variant.source.substr(last).find("__sync") == std::string::npos;
  const auto gone_between = [&](std::size_t a, std::size_t b) {
    return variant.source.substr(a, b - a).find("__sync") == std::string::npos;
  };
  if (gone_between(write, read) || gone_between(read, last)) return wrong("1", "inf");
  if (first_gone != last_gone) return wrong("0.01", "3e+04");
  return std::nullopt;
}

model::Experiment pairs_experiment(double near) {
  model::Experiment experiment = edits_experiment();
  experiment.search.mutators.erase("source_edits");
  experiment.search.mutators["barrier_delete"] = 1;
  experiment.search.mutators["near_correct"] = near;
  experiment.search.generations = 16;
  return experiment;
}

void judge_pairs(testing::FakeEvaluator& evaluator) {
  judge_barriers(evaluator);
  evaluator.fails_correctness = together;
}

double best_of(const model::Experiment& experiment) {
  testing::FakeEvaluator evaluator;
  judge_pairs(evaluator);
  return run_small(experiment, evaluator).result.progress.champion->latency()->microseconds;
}

TEST(NearCorrect, TwoEditsThatAreRightOnlyTogetherAreFound) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    model::Experiment with = pairs_experiment(1), without = pairs_experiment(0);
    with.search.seed = without.search.seed = seed;
    EXPECT_EQ(best_of(with), 12) << seed;
    EXPECT_EQ(best_of(without), 14) << seed;
  }
}

TEST(NearCorrect, ItIsCountedBesideTheOperators) {
  testing::FakeEvaluator evaluator;
  judge_pairs(evaluator);
  const Outcome outcome = run_small(pairs_experiment(1), evaluator);
  const auto rows = operator_counts(outcome.trials);
  const auto row = std::ranges::find(rows, "near_correct", &OperatorCounts::name);
  ASSERT_NE(row, rows.end());
  EXPECT_GE(row->correct, 1);
  EXPECT_GE(row->faster, 1);
  for (const TrialRecord& trial : outcome.trials) {
    if (trial.operator_name != "near_correct") continue;
    ASSERT_EQ(trial.parents.size(), 1U);
    const auto parent = std::ranges::find(outcome.trials, trial.parents.front(), &TrialRecord::variant);
    ASSERT_NE(parent, outcome.trials.end());
    EXPECT_TRUE(nearness_of(*parent)) << parent->variant;
  }
}

// They are a part of source_edits, and who does not know how trials ended has none.
TEST(NearCorrect, ItsShareOfSourceEditsIsSmall) {
  model::Experiment experiment = edits_experiment();
  testing::FakeEvaluator evaluator;
  judge_pairs(evaluator);
  const auto count = [&] {
    return std::ranges::count(run_small(experiment, evaluator).trials, "near_correct",
                              &TrialRecord::operator_name);
  };
  const auto made = count();
  EXPECT_GE(made, 1);
  EXPECT_LE(made, 16);  // of 160
  experiment.search.preset = "insight";
  EXPECT_EQ(count(), 0);
}

TEST(NearCorrect, TheLineageDependsOnNoThreadAndIsReplayed) {
  std::set<std::string> lineages;
  const model::Experiment experiment = pairs_experiment(1);
  for (const int threads : {1, 4}) {
    testing::FakeEvaluator evaluator;
    judge_pairs(evaluator);
    evaluator.most_delay_us = threads == 1 ? 0 : 500;
    CampaignOptions options;
    options.threads = threads;
    options.device_threads = threads;
    const Outcome outcome = run_small(experiment, evaluator, options);
    lineages.insert(outcome.result.lineage_sha256);
    EXPECT_TRUE(replay_run(experiment, evaluator, *outcome.ledger, {}).mismatches.empty());
  }
  testing::FakeEvaluator evaluator;
  judge_pairs(evaluator);
  const auto ledger = make_memory_ledger();
  CrashingLedger crashing(*ledger, 20, true);
  EXPECT_THROW((void)run_campaign(experiment, evaluator, crashing, 1, {}), CrashingLedger::Crash);
  lineages.insert(run_campaign(experiment, evaluator, *ledger, 1, {}).lineage_sha256);
  EXPECT_EQ(lineages.size(), 1U);
}

TrialRecord refused(const std::string& share, const std::string& times) {
  TrialRecord trial;
  trial.genome = model::with_edits(edits_experiment().baseline, {{"restrict", "simple#0", "head"}});
  trial.status = model::Status::wrong;
  trial.reason = "mismatch";
  trial.evidence = wrong(share, times).evidence;
  return trial;
}

TEST(NearCorrect, ItIsJudgedByTheEvidence) {
  ASSERT_TRUE(nearness_of(refused("0.125", "20")));
  EXPECT_EQ(nearness_of(refused("0.125", "20"))->wrong_share, 0.125);
  EXPECT_EQ(nearness_of(refused("0.125", "20"))->times_bound, 20);
  EXPECT_TRUE(std::isinf(nearness_of(refused("0.125", "nan"))->times_bound));
  EXPECT_FALSE(nearness_of(refused("some", "20")));
  // Of two outputs the worse one; beside a write to an input nothing is near.
  TrialRecord two = refused("0.01", "1.5");
  two.evidence.push_back(wrong("0.5", "1.2").evidence.front());
  EXPECT_EQ(nearness_of(two)->wrong_share, 0.5);
  EXPECT_EQ(nearness_of(two)->times_bound, 1.5);
  two.evidence.back().kind = "input_modified";
  EXPECT_FALSE(nearness_of(two));
  TrialRecord good = refused("0.01", "2");
  good.status = model::Status::better;
  EXPECT_FALSE(nearness_of(good));
}

TEST(NearCorrect, TheNearestAreKeptAndNoMoreThanTheLimit) {
  std::vector<TrialRecord> trials;
  for (int i = 0; i < 200; ++i) {
    trials.push_back(refused(std::to_string((i * 37 % 200) / 1000.0), "1e+06"));
    trials.back().index = i;
  }
  trials.push_back(refused("1", "2"));      // all of it, by little
  trials.push_back(refused("1", "1e+06"));  // nothing is correct
  trials.push_back(refused("0", "1.1"));
  trials.back().genome = edits_experiment().baseline;  // no edit made it wrong
  const auto near = near_correct(trials, 64);
  ASSERT_EQ(near.size(), 64U);
  for (std::size_t i = 1; i < near.size(); ++i)
    EXPECT_LE(nearness_of(*near[i - 1])->wrong_share, nearness_of(*near[i])->wrong_share);
  EXPECT_EQ(near.front(), &trials.front());
  EXPECT_LT(nearness_of(*near.back())->wrong_share, 0.0641);
  EXPECT_EQ(near_correct(trials, 1000).size(), 201U);
  EXPECT_EQ(near_correct(trials, 1000).back(), &trials[200]);
}

// Of those that are as near the child of the faster parent, then the one that promises more, comes first.
TEST(NearCorrect, WhoMayBeFasterComesFirst) {
  std::vector<TrialRecord> trials(2);
  for (std::size_t i = 0; i < 2; ++i) {
    trials[i].variant = i == 0 ? "slow" : "fast";
    trials[i].status = model::Status::proven;
    trials[i].latencies = {{"w", 1, {model::LatencyKind::modelled, i == 0 ? 10.0 : 5.0, {}, 1, ""}}};
  }
  for (const char* parent : {"slow", "fast", "fast"}) {
    trials.push_back(refused("0.1", "100"));
    trials.back().parents = {parent};
  }
  trials[3].predicted_effect = -0.5;
  const auto near = near_correct(trials, 2);
  EXPECT_EQ(near, (std::vector<const TrialRecord*>{&trials[3], &trials[4]}));
}

}  // namespace
}  // namespace evo::engine
