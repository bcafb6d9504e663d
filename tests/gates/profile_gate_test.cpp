// The profile gate: bounds on counters, with a profiler that says what a test wants.
#include <gtest/gtest.h>

#include "evaluators/gates/counter_bounds.hpp"
#include "evaluators/gates/in_process_runner.hpp"
#include "evaluators/gates/ladder.hpp"
#include "model/error.hpp"
#include "tests/support/fake_compiler.hpp"
#include "tests/support/fake_device.hpp"
#include "tests/support/known.hpp"
#include "tests/support/vector_add_experiment.hpp"

namespace evo::evaluators::gates {
namespace {

using model::CounterBasis;

class ScriptedProfiler final : public Profiler {
 public:
  [[nodiscard]] CounterBasis basis() const override { return kind; }
  [[nodiscard]] Profiled profile(const DeviceJob& job) override {
    jobs.push_back(job);
    return answer;
  }
  CounterBasis kind = CounterBasis::measured;
  Profiled answer;
  std::vector<DeviceJob> jobs;
};

model::CounterReading reading(double dram, CounterBasis basis = CounterBasis::measured) {
  return {basis, "a profiler", "a GPU", {{"w0", "add", {{"dram_percent", dram}}, {}, {}}}};
}

class ProfileGate : public ::testing::Test {
 protected:
  ProfileGate() {
    experiment.gates.counters = {{"dram_percent", "<", 60}};
    settings.kernel = tests::correct_kernel();
    profiler->answer.reading = reading(40);
  }
  GateReport climb(std::int64_t extra = 1024) {
    tests::FakeCompiler compiler(
        [](const tests::FakeCompiler::Request& request) -> tests::FakeCompiler::Result {
          model::Artifact artifact = tests::FakeCompiler::plain(request);
          artifact.resources = {.registers = 32, .static_smem_bytes = 256};
          return artifact;
        });
    const auto device = [this] { return std::make_unique<tests::FakeDevice>(settings); };
    InProcessRunner runner(device, evo::tests::known());
    Ladder ladder(experiment, compiler, runner, device, evo::tests::known());
    ladder.use_profiler(profiler);
    return prove(ladder, tests::vector_add_variant(experiment, 64, extra));
  }
  model::Experiment experiment = tests::vector_add_experiment();
  tests::FakeDeviceSettings settings;
  std::shared_ptr<ScriptedProfiler> profiler = std::make_shared<ScriptedProfiler>();
};

TEST_F(ProfileGate, ComesLastAndLetsThroughWhatKeepsTheBounds) {
  const GateReport report = climb();
  EXPECT_TRUE(report.valid());
  ASSERT_FALSE(report.gates().empty());
  EXPECT_EQ(report.gates().back().gate, model::Gate::profile);
  ASSERT_EQ(profiler->jobs.size(), 1U);
  EXPECT_EQ(profiler->jobs[0].cases.size(), experiment.workloads.size()) << "the workloads and no more";
  EXPECT_TRUE(profiler->jobs[0].timed_cases.empty());
}

TEST_F(ProfileGate, RefusesWhatBreaksABound) {
  profiler->answer.reading = reading(60);
  const GateReport report = climb();
  ASSERT_NE(report.failure(), nullptr);
  EXPECT_EQ(report.failed_gate(), "profile");
  EXPECT_EQ(report.failure()->status, model::Status::over_budget);
  EXPECT_EQ(report.failure()->reason, "counter_bound");
  EXPECT_TRUE(report.evaluation.latencies.empty()) << "what is refused has no latency";
}

TEST_F(ProfileGate, WhatWasCountedIsKeptWhetherOrNotABoundRefusesIt) {
  GateReport report = climb();
  ASSERT_TRUE(report.evaluation.counters);
  EXPECT_EQ(report.evaluation.counters->kernels.at(0).find("dram_percent"), 40);
  profiler->answer.reading = reading(60);
  report = climb();
  ASSERT_NE(report.failure(), nullptr);
  ASSERT_TRUE(report.evaluation.counters) << "else a gene seems to do less than it does";
  EXPECT_EQ(report.evaluation.counters->kernels.at(0).find("dram_percent"), 60);
  EXPECT_FALSE(climb(0).evaluation.counters) << "the baseline is not counted";
}

TEST_F(ProfileGate, TheBaselineIsNotAsked) {
  profiler->answer.reading = reading(99);
  EXPECT_TRUE(climb(0).valid());
  EXPECT_TRUE(profiler->jobs.empty());
}

TEST_F(ProfileGate, WhereNothingCanBeCountedTheEnvironmentIsBroken) {
  profiler->answer = {};
  profiler->answer.refused = {{"CUPTI", "no library", false}, {"ncu", "no permission", true}};
  EXPECT_THROW(climb(), model::Exception);
}

TEST_F(ProfileGate, ALaunchThatFailsWhileItIsCountedIsTheCandidates) {
  profiler->answer = {};
  profiler->answer.failure = model::Failure{model::Status::launch_error, "profiled_launch", {}};
  const GateReport report = climb();
  ASSERT_NE(report.failure(), nullptr);
  EXPECT_EQ(report.failure()->reason, "profiled_launch");
}

TEST_F(ProfileGate, ABoundThatTheDeviceCanNeverJudgeIsRefusedBeforeTheRun) {
  profiler->kind = CounterBasis::modelled;
  EXPECT_NO_THROW(climb());
  experiment.gates.counters.push_back({"stall_barrier", "<", 2});
  EXPECT_THROW(climb(), model::Exception);
  profiler->kind = CounterBasis::measured;
  profiler->answer.reading->kernels[0].values["stall_barrier"] = 1;
  EXPECT_NO_THROW(climb());
}

TEST(CounterBounds, EveryKernelOnEveryWorkloadIsHeldAgainstEveryBound) {
  model::CounterReading counted = reading(10);
  counted.kernels.push_back({"w1", "add", {{"dram_percent", 70}}, {}, {}});
  counted.kernels.push_back({"w1", "reduce", {{"l2_percent", 70}}, {}, {}});
  const auto failure = check_counters({{"dram_percent", "<", 60}, {"l2_percent", ">=", 70}}, counted);
  ASSERT_TRUE(failure.has_value());
  ASSERT_EQ(failure->evidence.size(), 4U);
  EXPECT_EQ(failure->evidence[0].kind, "counter_missing") << "w0 has no l2_percent";
  EXPECT_EQ(failure->evidence[1].kind, "counter_bound");
  EXPECT_EQ(failure->reason, "counter_missing");
}

TEST(CounterBounds, EachComparisonMeansWhatItSays) {
  for (const auto& [comparison, below, at, above] :
       {std::tuple{"<", true, false, false}, std::tuple{"<=", true, true, false},
        std::tuple{">", false, false, true}, std::tuple{">=", false, true, true}}) {
    const model::CounterBound bound{"registers", comparison, 64};
    EXPECT_EQ(bound.holds(63), below) << comparison;
    EXPECT_EQ(bound.holds(64), at) << comparison;
    EXPECT_EQ(bound.holds(65), above) << comparison;
  }
}

TEST(CounterBounds, TheEvidenceSaysWhetherTheValueIsModelled) {
  const auto failure = check_counters({{"dram_percent", "<", 60}}, reading(70, CounterBasis::modelled));
  ASSERT_TRUE(failure.has_value());
  bool said = false;
  for (const auto& [key, value] : failure->evidence[0].details)
    said = said || (key == "basis" && value == "modelled");
  EXPECT_TRUE(said);
}

}  // namespace
}  // namespace evo::evaluators::gates
