// How the ladder settles two variants that measured times cannot tell apart.
#include <gtest/gtest.h>

#include "evaluators/gates/ladder.hpp"
#include "tests/support/fake_compiler.hpp"
#include "tests/support/fake_device.hpp"
#include "tests/support/known.hpp"
#include "tests/support/vector_add_experiment.hpp"

namespace evo::evaluators::gates {
namespace {

using tests::FakeCompiler;

/// Answers every job with one result.
class OneResult final : public JobRunner {
 public:
  [[nodiscard]] DeviceResult run(const DeviceJob& job) override {
    jobs.push_back(job);
    return result;
  }
  [[nodiscard]] devices::DeviceInfo info() const override {
    return {kind, "NVIDIA L4", "sm_89", "1", "uuid"};
  }
  std::string kind = "cuda";
  DeviceResult result;
  std::vector<DeviceJob> jobs;
};

class LadderCompare : public ::testing::Test {
 protected:
  LadderCompare()
      : ladder(
            experiment, compiler, runner, [] { return nullptr; }, evo::tests::known()) {
    runner.result.gates.push_back({model::Gate::latency, std::nullopt, 1});
    runner.result.paired = {{"large", 1, {9, 9, 9, 9}, {10, 10, 10, 10}}};
    runner.result.device_seconds = 3;
  }
  std::optional<Paired> time_paired() {
    return ladder.time_paired(tests::vector_add_variant(experiment, 64),
                              tests::vector_add_variant(experiment, 128), 0.001);
  }

  model::Experiment experiment = tests::vector_add_experiment();
  OneResult runner;
  FakeCompiler compiler;
  Ladder ladder;
};

TEST_F(LadderCompare, BothSidesAreTimedOnTheWorkloads) {
  const auto paired = time_paired();
  ASSERT_TRUE(paired.has_value());
  ASSERT_TRUE(paired->comparison.has_value());
  EXPECT_NEAR(paired->comparison->ratio, 0.9, 1e-9);
  EXPECT_EQ(paired->comparison->incumbent, tests::vector_add_variant(experiment, 128).id);
  EXPECT_EQ(paired->device_seconds, 3);
  ASSERT_EQ(runner.jobs.size(), 1U);
  const DeviceJob& job = runner.jobs[0];
  ASSERT_TRUE(job.opponent.has_value());
  ASSERT_EQ(job.timed_cases.size(), 2U);
  EXPECT_EQ(job.timed_cases[0].launch.block[0], 64U);
  ASSERT_EQ(job.opponent->timed_cases.size(), 2U);
  EXPECT_EQ(job.opponent->timed_cases[0].launch.block[0], 128U);
}

// What the clock had said until then is worth nothing.
TEST_F(LadderCompare, WhatFailsIsNoComparison) {
  runner.result.gates.back().failure =
      model::Failure{model::Status::wrong, "mismatch", {{"mismatch", "c", {}, 0, {}}}};
  const auto paired = time_paired();
  ASSERT_TRUE(paired.has_value());
  EXPECT_FALSE(paired->comparison.has_value());
  ASSERT_EQ(paired->evidence.size(), 1U);
  EXPECT_EQ(paired->evidence[0].kind, "mismatch");
}

// The samples of a comparison are kept, and judged as `evo compare` judges its own.
TEST_F(LadderCompare, SamplesClocksAndWhatIsUnusualComeWithTheComparison) {
  PairedSeries& series = runner.result.paired[0];
  series.candidate_us.clear();
  series.opponent_us.clear();
  for (int i = 0; i < 20; ++i) {
    series.candidate_us.push_back(9 + 0.01 * i);
    series.opponent_us.push_back(10 + 0.01 * ((i * 7) % 20));
  }
  runner.result.clocks = {true, 2, 1, {"thermal slowdown"}};
  const auto paired = time_paired();
  ASSERT_TRUE(paired.has_value());
  ASSERT_EQ(paired->samples.size(), 2U);
  EXPECT_EQ(paired->samples[0].side, model::candidate_side);
  EXPECT_EQ(paired->samples[0].us, model::kept_samples(series.candidate_us));
  EXPECT_EQ(paired->samples[1].side, model::incumbent_side);
  EXPECT_EQ(paired->samples[1].us, model::kept_samples(series.opponent_us));
  ASSERT_TRUE(paired->comparison.has_value());
  ASSERT_TRUE(paired->comparison->timing.has_value());
  EXPECT_EQ(paired->comparison->timing->clocks, runner.result.clocks);
  EXPECT_EQ(paired->comparison->timing->odd,
            (std::vector<model::OddSeries>{{"large", model::candidate_side, {"drifting"}}}));
}

// Who decides nothing on the way (a final verdict, a check of a gene) throws its own jobs away.
TEST_F(LadderCompare, OnlyAComparisonThatDecidesIsTakenAgainByTheWorker) {
  ASSERT_TRUE(time_paired().has_value());
  ASSERT_TRUE(ladder
                  .time_paired(tests::vector_add_variant(experiment, 64),
                               tests::vector_add_variant(experiment, 128), 0)
                  .has_value());
  ASSERT_EQ(runner.jobs.size(), 2U);
  EXPECT_EQ(runner.jobs[0].most_discarded, most_discarded_timings);
  EXPECT_GT(runner.jobs[0].pause_ms, 0U);
  EXPECT_EQ(runner.jobs[1].most_discarded, 0U);
}

TEST_F(LadderCompare, TimesThatAreNotMeasuredAreNotSettled) {
  for (const char* kind : {"virtual", "recorded"}) {
    runner.kind = kind;
    EXPECT_FALSE(time_paired().has_value()) << kind;
  }
  EXPECT_TRUE(runner.jobs.empty());
}

}  // namespace
}  // namespace evo::evaluators::gates
