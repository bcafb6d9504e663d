// Measurements of different moments settle little: what seems better is timed in turn with the champion.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "engine/replay.hpp"
#include "engine/verdicts.hpp"
#include "tests/engine/campaign_support.hpp"

namespace evo::engine {
namespace {

using model::Status;
using testing::FakeEvaluator;
using testing::small_experiment;

model::Latency measured(double us) {
  return {model::LatencyKind::measured, us, {{us * 0.9999, us * 1.0001}}, 60, "clock"};
}

TEST(Pairing, MeasurementsOfDifferentMomentsAreNeverBetter) {
  EXPECT_EQ(compare_latency(measured(5), measured(10)), Status::tie);
  EXPECT_EQ(compare_latency(measured(10.1), measured(10)), Status::tie) << "one per cent is drift";
  EXPECT_EQ(compare_latency(measured(10.5), measured(10)), Status::correct_slower);
}

TEST(Pairing, TheWholeIntervalMustLieBeyondTheResolution) {
  const auto paired = [](double low, double high) {
    return model::PairedComparison{"i", (low + high) / 2, {low, high}, 0.999, 16};
  };
  EXPECT_EQ(compare_paired(paired(0.980, 0.996), 0.003), Status::better);
  EXPECT_EQ(compare_paired(paired(0.980, 0.998), 0.003), Status::tie);
  EXPECT_EQ(compare_paired(paired(0.990, 1.010), 0.003), Status::tie);
  EXPECT_EQ(compare_paired(paired(1.002, 1.010), 0.003), Status::tie);
  EXPECT_EQ(compare_paired(paired(1.004, 1.010), 0.003), Status::correct_slower);
}

TEST(Pairing, OfCopiesThatAreMeasuredDifferentlyNoneIsBetter) {
  FakeEvaluator evaluator;
  evaluator.interval = 0.0001;
  // By up to 1.2 % apart, and told apart by their intervals.
  evaluator.latency = [](const model::Variant& variant) { return 10 + 0.001 * (variant.id[0] * 5 % 120); };
  evaluator.on_paired = [](const model::Variant&, const model::Variant& incumbent) {
    return evaluators::Paired{model::PairedComparison{incumbent.id, 1, {0.999, 1.001}, 0.999, 16}, {}, 0};
  };
  const Outcome done = run_small(small_experiment(), evaluator);
  EXPECT_GT(evaluator.compared, 0);
  for (const TrialRecord& trial : done.trials) EXPECT_NE(trial.status, Status::better) << trial.index;
  EXPECT_EQ(done.result.progress.champion->index, 0);
}

TEST(Pairing, TheChampionIsWhatWonInTurn) {
  FakeEvaluator evaluator;
  evaluator.interval = 0.02;
  const Outcome done = run_small(small_experiment(), evaluator);
  std::string champion = done.trials[0].variant;
  int better = 0;
  for (const TrialRecord& trial : done.trials) {
    if (trial.status != Status::better) continue;
    ++better;
    ASSERT_TRUE(trial.paired.has_value()) << trial.index;
    EXPECT_EQ(trial.paired->incumbent, champion) << "against the champion of that moment";
    EXPECT_LT(trial.paired->interval[1], 1);
    champion = trial.variant;
  }
  EXPECT_GT(better, 0);
  EXPECT_EQ(done.result.progress.champion->variant, champion);
}

TEST(Pairing, WhatIsClearlySlowerIsNotTimedAgain) {
  FakeEvaluator evaluator;
  evaluator.interval = 0.02;
  evaluator.latency = [](const model::Variant& variant) {
    return variant.genome.text() == small_experiment().baseline.text() ? 5.0 : 6.0;
  };
  const Outcome done = run_small(small_experiment(), evaluator);
  EXPECT_EQ(evaluator.compared, 0);
  EXPECT_GT(std::count_if(done.trials.begin(), done.trials.end(),
                          [](const TrialRecord& trial) { return trial.status == Status::correct_slower; }),
            10);
}

TEST(Pairing, ModelledLatenciesAreExactAndNeedNone) {
  FakeEvaluator evaluator;
  const Outcome done = run_small(small_experiment(), evaluator);
  EXPECT_EQ(evaluator.compared, 0);
  EXPECT_NE(done.result.progress.champion->index, 0);
}

TEST(Pairing, WhatCannotBeTimedInTurnIsQuarantinedWithTheReason) {
  FakeEvaluator evaluator;
  evaluator.interval = 0.02;
  evaluator.on_paired = [](const model::Variant&, const model::Variant&) {
    return evaluators::Paired{std::nullopt, {{"hang", "no sign of life", {}, 0, {}}}, 3};
  };
  const Outcome done = run_small(small_experiment(), evaluator);
  const auto failed = std::find_if(done.trials.begin(), done.trials.end(), [](const TrialRecord& trial) {
    return trial.status == Status::quarantined;
  });
  ASSERT_NE(failed, done.trials.end());
  EXPECT_EQ(failed->reason, comparison_failed);
  EXPECT_EQ(failed->gate, model::Gate::latency);
  EXPECT_FALSE(failed->paired.has_value());
  EXPECT_TRUE(failed->latencies.empty()) << "no speed without trust";
  ASSERT_EQ(failed->evidence.size(), 2U);
  EXPECT_EQ(failed->evidence[1].kind, "hang");
  EXPECT_EQ(failed->device_seconds, evaluator.device_seconds + 3);
  EXPECT_EQ(done.result.progress.champion->index, 0);
  EXPECT_TRUE(replay_run(small_experiment(), evaluator, *done.ledger).match());
}

TEST(Pairing, ReplayJudgesByTheRecordedComparison) {
  FakeEvaluator evaluator;
  evaluator.interval = 0.02;
  const Outcome done = run_small(small_experiment(), evaluator);
  FakeEvaluator other;
  other.interval = 0.02;
  other.on_paired = [](const model::Variant&, const model::Variant&) -> evaluators::Paired {
    ADD_FAILURE() << "what was measured is not measured again";
    return {};
  };
  EXPECT_TRUE(replay_run(small_experiment(), other, *done.ledger).match());
}

// What a person would plot later: the ledger has the samples of every measured trial, and of each comparison.
TEST(Pairing, RawSamplesOfTrialsAndComparisonsAreKept) {
  FakeEvaluator evaluator;
  evaluator.interval = 0.02;
  evaluator.samples = {{"w", "", {5, 5.25, 1.0 / 3}}};
  evaluator.timing = model::TimingNotes{{true, 1, 0, {"thermal slowdown"}}, {{"w", "", {"bimodal"}}}};
  const model::TimingNotes compared{{true, 0, 1, {"power cap"}},
                                    {{"w", model::candidate_side, {"drifting"}}}};
  evaluator.on_paired = [&](const model::Variant& candidate, const model::Variant& incumbent) {
    const double ratio = evaluator.latency(candidate) / evaluator.latency(incumbent);
    evaluators::Paired paired;
    paired.comparison =
        model::PairedComparison{incumbent.id, ratio, {ratio * 0.999, ratio * 1.001}, 0.999, 20};
    paired.comparison->timing = compared;
    paired.samples = {{"w", model::candidate_side, {ratio}}, {"w", model::incumbent_side, {1}}};
    return paired;
  };
  const TemporaryFolder folder;
  const auto ledger = open_sqlite_ledger(folder / "ledger.sqlite", LedgerMode::create);
  (void)run_campaign(small_experiment(), evaluator, *ledger, 1, {});
  int alone = 0, in_turn = 0, none = 0;
  for (const TrialRecord& trial : ledger->trials()) {
    const auto samples = ledger->samples(trial.index);
    if (trial.latencies.empty() || trial.status == Status::duplicate) {
      EXPECT_TRUE(samples.empty()) << trial.index;
      EXPECT_FALSE(trial.timing.has_value()) << trial.index;
      ++none;
      continue;
    }
    EXPECT_EQ(trial.timing, evaluator.timing) << trial.index;
    ASSERT_EQ(samples.size(), trial.paired ? 3U : 1U) << trial.index;
    EXPECT_EQ(samples[0].us, model::kept_samples(evaluator.samples[0].us));
    ++alone;
    if (!trial.paired) continue;
    ++in_turn;
    EXPECT_EQ(trial.paired->timing, compared);
    EXPECT_EQ(samples[1].side, model::candidate_side);
    EXPECT_EQ(samples[1].us.at(0), static_cast<float>(trial.paired->ratio)) << "of this comparison";
    EXPECT_EQ(samples[2].side, model::incumbent_side);
  }
  EXPECT_GT(alone, 10);
  EXPECT_GT(in_turn, 0);
  EXPECT_GT(none, 0);
  EXPECT_TRUE(ledger->verify().empty());
  EXPECT_TRUE(replay_run(small_experiment(), evaluator, *ledger).match()) << "they are no part of a replay";
}

}  // namespace
}  // namespace evo::engine
