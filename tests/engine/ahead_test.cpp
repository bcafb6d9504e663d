// Evaluations that begin before everything ahead of them is compiled.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <set>
#include <thread>

#include "engine/pipeline.hpp"
#include "tests/engine/campaign_support.hpp"

namespace evo::engine {
namespace {

using testing::FakeEvaluator;
using testing::small_experiment;

void wait_for(const std::atomic<bool>& flag) {
  for (int i = 0; i < 5000 && !flag; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

CampaignOptions with_threads(bool ahead) {
  CampaignOptions options;
  options.threads = options.device_threads = 4;
  options.ahead = ahead;
  return options;
}

double device_seconds(const Outcome& outcome) {
  double sum = 0;
  for (const TrialRecord& trial : outcome.trials) sum += trial.device_seconds;
  return sum;
}

TEST(Ahead, TheLineageIsThatOfTheUsualOrder) {
  for (const char* strategy : {"genetic", "random"}) {
    std::set<std::string> lineages;
    for (const bool ahead : {false, true, true, true}) {
      FakeEvaluator evaluator;
      evaluator.most_delay_us = 400;
      auto experiment = small_experiment();
      experiment.search.strategy = strategy;
      lineages.insert(run_small(experiment, evaluator, with_threads(ahead)).result.lineage_sha256);
    }
    EXPECT_EQ(lineages.size(), 1u) << strategy;
  }
}

TEST(Ahead, ASlowCompilerHoldsNoDeviceUp) {
  const auto usual = [] {
    FakeEvaluator evaluator;
    return run_small(small_experiment(), evaluator);
  }();
  const std::string slow = usual.trials.at(1).variant;
  FakeEvaluator evaluator;
  std::atomic<bool> others_began = false, baseline_done = false;
  evaluator.on_evaluate = [&](const model::Variant&) {
    if (baseline_done.exchange(true)) others_began = true;
  };
  evaluator.on_prepare = [&](const model::Variant& variant) {
    if (variant.id == slow) wait_for(others_began);
  };
  const Outcome outcome = run_small(small_experiment(), evaluator, with_threads(true));
  EXPECT_TRUE(others_began);
  EXPECT_EQ(outcome.result.lineage_sha256, usual.result.lineage_sha256);
}

// It has ended before anybody knows that the code is another's.
TEST(Ahead, TheEvaluationOfADuplicateCountsForNothing) {
  FakeEvaluator evaluator;
  evaluator.identity = [](const model::Variant&) { return "the same"; };
  evaluator.latency = [](const model::Variant&) { return 10.0; };
  evaluator.fails_correctness = [](const model::Variant&) { return std::nullopt; };
  std::atomic<bool> second_ended = false;
  evaluator.on_prepare = [&](const model::Variant& variant) {
    if (variant.id == "first") wait_for(second_ended);
  };
  Pipeline pipeline(evaluator, 2, 2, true);
  model::Variant first, second;
  first.id = "first";
  second.id = "second";
  pipeline.submit(0, first);
  pipeline.submit(1, second);
  for (int i = 0; i < 5000 && evaluator.evaluated == 0; ++i) pipeline.wait(std::chrono::milliseconds(1));
  ASSERT_EQ(evaluator.evaluated, 1);
  second_ended = true;
  const auto of_first = pipeline.next(std::chrono::seconds(20));
  const auto of_second = pipeline.next(std::chrono::seconds(20));
  ASSERT_TRUE(of_first && of_second);
  EXPECT_TRUE(of_first->evaluation);
  EXPECT_EQ(of_second->same_code_as, 0);
  EXPECT_FALSE(of_second->evaluation);
  EXPECT_TRUE(pipeline.evaluated().empty());
  pipeline.drain();
  EXPECT_DOUBLE_EQ(pipeline.wasted(), evaluator.device_seconds);
}

TEST(Ahead, TheOriginalIsTheEarlierProposalAlsoWhereItIsCompiledLast) {
  const auto usual = [] {
    FakeEvaluator evaluator;
    return run_small(small_experiment(), evaluator);
  }();
  const std::string first = usual.trials.at(1).variant, second = usual.trials.at(3).variant;
  ASSERT_NE(first, second);
  const auto same_code = [&](const model::Variant& variant) {
    return variant.id == second ? first : variant.id;
  };
  FakeEvaluator plain;
  plain.identity = same_code;
  plain.fails_to_compile = plain.fails_correctness = [](const model::Variant&) { return std::nullopt; };
  const Outcome in_order = run_small(small_experiment(), plain, with_threads(false));

  FakeEvaluator evaluator;
  evaluator.identity = same_code;
  evaluator.fails_to_compile =
      evaluator.fails_correctness = [](const model::Variant&) { return std::nullopt; };
  std::atomic<bool> second_began = false;
  evaluator.on_evaluate = [&](const model::Variant& variant) {
    if (variant.id == second) second_began = true;
  };
  evaluator.on_prepare = [&](const model::Variant& variant) {
    if (variant.id == first) wait_for(second_began);
  };
  const Outcome outcome = run_small(small_experiment(), evaluator, with_threads(true));
  EXPECT_TRUE(second_began);
  EXPECT_EQ(outcome.result.lineage_sha256, in_order.result.lineage_sha256);
  EXPECT_EQ(outcome.trials.at(1).status, in_order.trials.at(1).status);
  EXPECT_EQ(outcome.trials.at(3).status, model::Status::duplicate);
  EXPECT_EQ(outcome.trials.at(3).duplicate_of, first);
  EXPECT_GT(evaluator.evaluated, plain.evaluated);
  EXPECT_DOUBLE_EQ(device_seconds(outcome), 0.25 * evaluator.evaluated) << "nothing spent is lost sight of";
}

}  // namespace
}  // namespace evo::engine
