// How trials end: statuses, duplicates, failures, time-outs.
#include "engine/campaign.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/engine/campaign_support.hpp"

namespace evo::engine {
namespace {

using evo::testing::FakeEvaluator;
using evo::testing::small_experiment;
using model::Status;

int count(const std::vector<TrialRecord>& trials, Status status) {
  return static_cast<int>(std::count_if(trials.begin(), trials.end(),
                                        [&](const TrialRecord& trial) { return trial.status == status; }));
}

TEST(TrialEnd, ABetterOneReplacesTheChampionInCommitOrder) {
  FakeEvaluator evaluator;
  const Outcome done = run_small(small_experiment(), evaluator);
  double champion = done.trials[0].latency()->microseconds;
  for (const TrialRecord& trial : done.trials) {
    if (trial.index == 0 || !trial.correct()) continue;
    const double latency = trial.latency()->microseconds;
    const Status expected = latency < champion   ? Status::better
                            : latency > champion ? Status::correct_slower
                                                 : Status::tie;
    EXPECT_EQ(trial.status, expected) << trial.index;
    champion = std::min(champion, latency);
  }
  EXPECT_EQ(done.result.progress.champion->latency()->microseconds, champion);
}

TEST(TrialEnd, EqualModelledLatenciesAreTies) {
  FakeEvaluator evaluator;
  evaluator.latency = [](const model::Variant&) { return 5.0; };
  const Outcome done = run_small(small_experiment(), evaluator);
  EXPECT_EQ(count(done.trials, Status::better), 0);
  EXPECT_GT(count(done.trials, Status::tie), 10);
  EXPECT_EQ(done.result.progress.champion->index, 0);
}

TEST(TrialEnd, EqualCodeIsNotEvaluatedTwiceAndTheEarlierProposalIsTheOriginal) {
  for (const int threads : {1, 4}) {
    FakeEvaluator evaluator;
    evaluator.most_delay_us = 300;
    CampaignOptions options;
    options.threads = options.device_threads = threads;
    auto experiment = small_experiment();
    experiment.search.strategy = "random";
    const Outcome done = run_small(experiment, evaluator, options);
    int duplicates = 0;
    for (const TrialRecord& trial : done.trials) {
      if (trial.status != Status::duplicate || trial.reason != "same_code") continue;
      ++duplicates;
      const auto original =
          std::find_if(done.trials.begin(), done.trials.end(),
                       [&](const TrialRecord& other) { return other.code_identity == trial.code_identity; });
      EXPECT_LT(original->index, trial.index);
      EXPECT_EQ(original->variant, trial.duplicate_of);
      ASSERT_EQ(original->latencies.size(), trial.latencies.size());
      EXPECT_EQ(original->latency()->microseconds, trial.latency()->microseconds);
      EXPECT_FALSE(trial.gate);
    }
    EXPECT_GT(duplicates, 0);
    EXPECT_EQ(evaluator.evaluated, 48 - count(done.trials, Status::duplicate));
  }
}

TEST(TrialEnd, AnExhaustedSpaceEndsTheRunWithoutDuplicates) {
  auto experiment = small_experiment();
  experiment.templates = {"simple"};
  experiment.baseline_template = "simple";
  experiment.baseline = evo::testing::simple_space().initial();
  FakeEvaluator evaluator;
  const Outcome done = run_small(experiment, evaluator);
  const auto legal = static_cast<int>(evo::testing::simple_space().count_legal().all);
  EXPECT_EQ(evaluator.prepared, legal);
  EXPECT_EQ(static_cast<int>(done.trials.size()), legal);
  for (const TrialRecord& trial : done.trials) EXPECT_NE(trial.reason, "same_genome");
}

TEST(TrialEnd, AnInvalidBaselineEndsTheRunBeforeAnythingElseIsTried) {
  FakeEvaluator evaluator;
  evaluator.fails_correctness = [](const model::Variant&) {
    return model::Failure{Status::wrong, "mismatch", {{"comparison", "O differs at 7", "tiled.cu", 12, {}}}};
  };
  const Outcome done = run_small(small_experiment(), evaluator);
  EXPECT_EQ(done.result.status, CampaignStatus::baseline_invalid);
  ASSERT_EQ(done.trials.size(), 1u);
  EXPECT_EQ(evaluator.prepared, 1);
  EXPECT_EQ(done.trials[0].status, Status::wrong);
  EXPECT_EQ(done.trials[0].gate, model::Gate::correctness);
  EXPECT_EQ(done.trials[0].evidence.at(0).message, "O differs at 7");
  EXPECT_FALSE(done.result.progress.champion);
  EXPECT_EQ(done.ledger->events().back().details.at("status"), "baseline_invalid");
}

TEST(TrialEnd, FailuresAreKeptWithGateReasonAndEvidence) {
  FakeEvaluator evaluator;
  evaluator.fails_resources = [](const model::Variant& variant) -> std::optional<model::Failure> {
    if (FakeEvaluator::integer(variant, variant.template_name == "tiled" ? "BLOCK_N" : "THREADS") < 64) {
      return std::nullopt;
    }
    return model::Failure{Status::over_budget, "spills", {{"spills", "96 bytes", "tiled.cu", 0, {}}}};
  };
  const Outcome done = run_small(small_experiment(), evaluator);
  EXPECT_GT(count(done.trials, Status::over_budget), 3);
  for (const TrialRecord& trial : done.trials) {
    if (trial.status != Status::over_budget) continue;
    EXPECT_EQ(trial.gate, model::Gate::resources);
    EXPECT_EQ(trial.reason, "spills");
    EXPECT_EQ(trial.gates.size(), 3u);
    EXPECT_FALSE(trial.gates.back().pass);
    EXPECT_TRUE(trial.latencies.empty());
  }
}

TEST(TrialEnd, WithoutAnyRightCandidateThereIsNoneToOffer) {
  FakeEvaluator evaluator;
  const std::string baseline = small_experiment().baseline.text();
  evaluator.fails_correctness = [&](const model::Variant& variant) -> std::optional<model::Failure> {
    if (variant.template_name == "tiled" && variant.genome.text() == baseline) return std::nullopt;
    return model::Failure{Status::wrong, "mismatch", {}};
  };
  const Outcome done = run_small(small_experiment(), evaluator);
  EXPECT_EQ(done.result.status, CampaignStatus::no_valid_candidate);
  EXPECT_EQ(done.trials.size(), 48u);
}

TEST(TrialEnd, ALatencyThatIsNoNumberIsQuarantinedNotRanked) {
  FakeEvaluator evaluator;
  evaluator.latency = [](const model::Variant& variant) {
    return variant.template_name == "simple" ? std::nan("") : FakeEvaluator::surface(variant);
  };
  const Outcome done = run_small(small_experiment(), evaluator);
  EXPECT_EQ(done.trials[1].template_name, "simple");
  EXPECT_EQ(done.trials[1].status, Status::quarantined);
  EXPECT_EQ(done.trials[1].reason, "latency_unusable");
  EXPECT_TRUE(done.trials[1].latencies.empty());
}

TEST(TrialEnd, TimeOutsBecomeEvents) {
  FakeEvaluator evaluator;
  evaluator.description.device_kind = "cuda";
  evaluator.fails_to_compile = [](const model::Variant& variant) -> std::optional<model::Failure> {
    if (variant.template_name != "simple") return std::nullopt;
    return model::Failure{Status::compile_timeout, "time", {}};
  };
  evaluator.fails_correctness = [](const model::Variant& variant) -> std::optional<model::Failure> {
    if (variant.template_name == "simple" || FakeEvaluator::integer(variant, "PAD") != 4) return std::nullopt;
    return model::Failure{Status::timeout, "watchdog", {}};
  };
  const Outcome done = run_small(small_experiment(), evaluator);
  int compile = 0, device = 0;
  for (const EventRecord& event : done.ledger->events()) {
    const auto& trial = done.trials.at(static_cast<std::size_t>(std::min<std::int64_t>(event.trial, 47)));
    if (event.kind == event_kinds::compile_timeout) {
      ++compile;
      EXPECT_EQ(trial.status, Status::compile_timeout);
    } else if (event.kind == event_kinds::device_timeout) {
      ++device;
      EXPECT_EQ(trial.status, Status::timeout);
    }
  }
  EXPECT_EQ(compile, count(done.trials, Status::compile_timeout));
  EXPECT_EQ(device, count(done.trials, Status::timeout));
  EXPECT_GT(compile, 0);
  EXPECT_GT(device, 0);
}

}  // namespace
}  // namespace evo::engine
