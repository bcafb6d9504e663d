#include "evaluators/gates/ladder.hpp"

#include <thread>

#include <gtest/gtest.h>

#include "evaluators/gates/in_process_runner.hpp"
#include "tests/support/fake_compiler.hpp"
#include "tests/support/fake_device.hpp"
#include "tests/support/known.hpp"
#include "tests/support/vector_add_experiment.hpp"

namespace evo::evaluators::gates {
namespace {

using model::Gate;
using model::Status;
using tests::FakeCompiler;
using tests::FakeDevice;
using tests::FakeDeviceSettings;
using tests::FakeLaunch;

/// Keeps the jobs and answers as told, or runs them on a fake device.
class SpyRunner final : public JobRunner {
 public:
  explicit SpyRunner(FakeDeviceSettings settings)
      : inner_([settings] { return std::make_unique<FakeDevice>(settings); }, evo::tests::known()) {}
  [[nodiscard]] DeviceResult run(const DeviceJob& job) override {
    jobs.push_back(job);
    return answer ? *answer : inner_.run(job);
  }
  [[nodiscard]] devices::DeviceInfo info() const override { return inner_.info(); }
  std::vector<DeviceJob> jobs;
  std::optional<DeviceResult> answer;

 private:
  InProcessRunner inner_;
};

/// A kernel whose blocks share nothing, or do.
tests::FakeKernel with_blocks(tests::FakeKernel kernel, bool independent) {
  return [kernel = std::move(kernel), independent](FakeLaunch& launch) {
    auto report = kernel(launch);
    if (report) report->blocks_independent = independent;
    return report;
  };
}

class LadderTest : public ::testing::Test {
 protected:
  LadderTest() {
    device.kernel = tests::correct_kernel();
    sanitizer.kernel = with_blocks(tests::correct_kernel(), true);
    sanitizer.info = {"virtual", "PTX machine", "", "", ""};
    compiler =
        std::make_unique<FakeCompiler>([this](const FakeCompiler::Request& request) -> FakeCompiler::Result {
          model::Artifact artifact = FakeCompiler::plain(request);
          artifact.resources = resources;
          return artifact;
        });
  }
  Ladder& ladder() {
    if (!ladder_) {
      runner = std::make_unique<SpyRunner>(device);
      ladder_ = std::make_unique<Ladder>(
          experiment, *compiler, *runner,
          [settings = sanitizer] { return std::make_unique<FakeDevice>(settings); }, evo::tests::known());
    }
    return *ladder_;
  }
  [[nodiscard]] model::Variant variant(std::int64_t threads = 64, std::int64_t extra = 0) const {
    return tests::vector_add_variant(experiment, threads, extra);
  }

  model::Experiment experiment = tests::vector_add_experiment();
  model::ResourceUsage resources{.registers = 32, .static_smem_bytes = 256};
  FakeDeviceSettings device, sanitizer;
  std::unique_ptr<FakeCompiler> compiler;
  std::unique_ptr<SpyRunner> runner;

  std::unique_ptr<Ladder> ladder_;
};

std::vector<Gate> names(const std::vector<model::GateResult>& gates) {
  std::vector<Gate> result;
  for (const model::GateResult& gate : gates) result.push_back(gate.gate);
  return result;
}

// As a worker answers that measures; the one of a farm may send what it likes.
TEST_F(LadderTest, ATrialsOwnSamplesAreJudgedAndBounded) {
  std::vector<double> drifting, many(5000, 2.0);
  for (int i = 0; i < 60; ++i) drifting.push_back(5 + 0.01 * i);
  DeviceResult result;
  result.gates = {{Gate::correctness, std::nullopt, 1}, {Gate::latency, std::nullopt, 1}};
  result.latencies = {{"small", 1, {model::LatencyKind::measured, 5, {{4, 6}}, 60, "clock"}}};
  result.samples = {{"small", "", drifting}, {"large", "", many}, {"none", "", {1}}};
  result.clocks = {true, 0, 1, {"power cap"}};
  const Prepared prepared = ladder().prepare(variant());
  ASSERT_FALSE(prepared.failed());
  runner->answer = result;
  const Evaluation evaluation = ladder().evaluate(prepared);
  ASSERT_EQ(evaluation.samples.size(), 2U) << "as many as there are workloads";
  EXPECT_EQ(evaluation.samples[0].us, model::kept_samples(drifting));
  EXPECT_LE(evaluation.samples[1].us.size(), model::most_kept_samples);
  ASSERT_TRUE(evaluation.timing.has_value());
  EXPECT_EQ(evaluation.timing->clocks, result.clocks);
  EXPECT_EQ(evaluation.timing->odd,
            (std::vector<model::OddSeries>{{"small", "", {"drifting"}}, {"large", "", {"few_distinct"}}}));
  EXPECT_EQ(runner->jobs.back().most_discarded, most_discarded_timings);
  EXPECT_GT(runner->jobs.back().pause_ms, 0U);
}

TEST_F(LadderTest, TheBaselineRunsWholeLaunchesUntilItIsProven) {
  const std::vector<std::pair<model::Variant, bool>> asked{
      {variant(64, 1024), false}, {variant(), true}, {variant(), false}, {variant(64, 1024), false}};
  for (const auto& [one, whole] : asked) {
    ASSERT_TRUE(prove(ladder(), one).valid());
    EXPECT_EQ(runner->jobs.back().whole_launches, whole);
  }
}

TEST_F(LadderTest, RightVariantPassesEveryGateInOrder) {
  const GateReport report = prove(ladder(), variant());
  EXPECT_TRUE(report.valid());
  EXPECT_EQ(report.failure(), nullptr);
  EXPECT_EQ(report.failed_gate(), "");
  EXPECT_EQ(names(report.gates()), (std::vector<Gate>{Gate::legality, Gate::compile, Gate::resources,
                                                      Gate::sanitize, Gate::correctness, Gate::latency}));
  ASSERT_EQ(report.evaluation.latencies.size(), 2U);
  EXPECT_EQ(report.evaluation.latencies[1].workload, "large");
  EXPECT_EQ(report.evaluation.latencies[1].weight, 2);
  EXPECT_GT(report.evaluation.device_seconds, 0);
  ASSERT_EQ(report.evaluation.notes.size(), 3U);
  EXPECT_EQ(report.evaluation.notes[2].kind, "correct_for");
}

TEST_F(LadderTest, AFailedGateIsTheLast) {
  resources.spill_store_bytes = 16;
  const GateReport spilled = prove(ladder(), variant());
  EXPECT_FALSE(spilled.valid());
  EXPECT_EQ(spilled.failed_gate(), "resources");
  EXPECT_EQ(spilled.failure()->reason, "spills");
  EXPECT_EQ(spilled.gates().size(), 3U);
  EXPECT_FALSE(spilled.prepared.artifact.has_value());

  const GateReport illegal = prove(ladder(), variant(128, 1024));
  EXPECT_EQ(illegal.failed_gate(), "legality");
  EXPECT_EQ(illegal.gates().size(), 1U);

  model::Variant stranger = variant();
  stranger.template_name = "nobody's";
  EXPECT_EQ(prove(ladder(), stranger).failure()->reason, "template");
  EXPECT_TRUE(runner->jobs.empty());
}

TEST_F(LadderTest, NothingUnsafeReachesTheDevice) {
  sanitizer.kernel = [](FakeLaunch&) -> devices::Outcome<devices::LaunchReport> {
    return tl::make_unexpected(model::Failure{Status::sanitizer_fail, "race_shared", {}});
  };
  const GateReport report = prove(ladder(), variant());
  EXPECT_EQ(report.failed_gate(), "sanitize");
  EXPECT_TRUE(runner->jobs.empty());
  EXPECT_EQ(device.log->launches, 0);
}

/// Right in one block, and in the sanitize gate, which compares nothing.
tests::FakeKernel wrong_between_blocks() {
  return tests::add_then([](FakeLaunch& launch) {
    const auto n = launch.scalar<std::int32_t>(3);
    if (n > 64) launch.pointer<float>(2)[(n - 1) * launch.scalar<std::int32_t>(4)] += 1;
  });
}

TEST_F(LadderTest, WhatBlocksTellEachOtherIsAlsoAskedOfTheVirtualDevice) {
  sanitizer.kernel = with_blocks(wrong_between_blocks(), false);
  const GateReport report = prove(ladder(), variant());
  EXPECT_EQ(report.failed_gate(), "correctness");
  ASSERT_NE(report.failure(), nullptr);
  EXPECT_EQ(report.failure()->reason, "mismatch");
  EXPECT_TRUE(runner->jobs.empty()) << "the GPU is not asked";
}

TEST_F(LadderTest, BlocksThatShareNothingAreAskedOfTheGpuAlone) {
  sanitizer.kernel = with_blocks(wrong_between_blocks(), true);
  EXPECT_TRUE(prove(ladder(), variant()).valid());
  EXPECT_EQ(runner->jobs.size(), 1U);
}

TEST_F(LadderTest, RightBlocksThatShareDataAreNotedAsChecked) {
  sanitizer.kernel = with_blocks(tests::correct_kernel(), false);
  const GateReport report = prove(ladder(), variant());
  ASSERT_TRUE(report.valid());
  const auto is_note = [](const model::Evidence& note) { return note.kind == "between_blocks"; };
  EXPECT_EQ(std::ranges::count_if(report.evaluation.notes, is_note), 1);
}

TEST_F(LadderTest, WhatTheVirtualDeviceDoesNotKnowBetweenBlocksIsLeftToTheGpu) {
  sanitizer.kernel = with_blocks(tests::correct_kernel(), false);
  auto launches = std::make_shared<int>(0);
  const int of_sanitize = static_cast<int>(experiment.problem.templates.front().sanitize_shapes.size());
  sanitizer.kernel = [inner = sanitizer.kernel, launches,
                      of_sanitize](FakeLaunch& launch) -> devices::Outcome<devices::LaunchReport> {
    if (++*launches > of_sanitize)
      return tl::make_unexpected(model::Failure{Status::unsupported, "unknown_instruction", {}});
    return inner(launch);
  };
  EXPECT_TRUE(prove(ladder(), variant()).valid());
}

TEST_F(LadderTest, WrongOnTheDeviceHasNoLatency) {
  device.kernel = tests::only([](FakeLaunch&) {});
  const GateReport report = prove(ladder(), variant());
  EXPECT_EQ(report.failed_gate(), "correctness");
  EXPECT_TRUE(report.evaluation.latencies.empty());
  EXPECT_FALSE(report.valid());
}

TEST_F(LadderTest, FasterThanPhysicsIsQuarantined) {
  device.info.name = "NVIDIA H200";
  experiment.problem.work.flops = tests::parsed("n * 1000000000000");
  const GateReport report = prove(ladder(), variant());
  EXPECT_EQ(report.failed_gate(), "latency");
  ASSERT_NE(report.failure(), nullptr);
  EXPECT_EQ(report.failure()->status, Status::quarantined);
  EXPECT_TRUE(report.evaluation.latencies.empty());
}

TEST_F(LadderTest, EveryWorkloadIsHeldAgainstTheRooflineOfTheDeviceThatRan) {
  device.info.name = "NVIDIA H200";
  // 2 GFLOP: 2 us on an H200, 16 on the L4 that is the target. Latencies are some 5 us.
  experiment.problem.work.flops = tests::parsed("2000000000");
  EXPECT_TRUE(prove(ladder(), variant()).valid());
  ladder_.reset();
  experiment.problem.work.flops = tests::parsed("n == 1000 ? 1000000000000 : 1");
  EXPECT_EQ(prove(ladder(), variant()).failure()->status, Status::quarantined) << "the second workload";
}

/// A correct kernel with a path that only data with a NaN takes, or none does.
tests::FakeKernel with_a_path(bool reachable) {
  return [kernel = tests::correct_kernel(), reachable](FakeLaunch& launch) {
    const auto n = static_cast<std::size_t>(launch.scalar<std::int32_t>(3));
    const std::span<const float> a(launch.pointer<float>(0), n);
    const bool taken = reachable && std::ranges::any_of(a, [](float value) { return std::isnan(value); });
    auto report = kernel(launch);
    if (report && !taken) report->unexecuted = {{"never_executed", "", "k.cu", 20, {{"block", "1"}}}};
    return report;
  };
}

TEST_F(LadderTest, PathsForNaNsRun) {
  sanitizer.kernel = with_a_path(false);
  EXPECT_EQ(prove(ladder(), variant()).failure()->reason, "incomplete_coverage");
  ladder_.reset();
  sanitizer.kernel = with_a_path(true);
  EXPECT_TRUE(prove(ladder(), variant()).valid());
}

TEST_F(LadderTest, ASourceThatDoesNotCompileEndsAtTheCompileGate) {
  compiler = std::make_unique<FakeCompiler>([](const FakeCompiler::Request&) -> FakeCompiler::Result {
    return tl::make_unexpected(model::Failure{Status::compile_error, "source_error", {}});
  });
  const GateReport report = prove(ladder(), variant());
  EXPECT_EQ(report.failed_gate(), "compile");
  EXPECT_EQ(report.failure()->reason, "source_error");
}

TEST_F(LadderTest, JobCarriesWhatTheDeviceNeeds) {
  ASSERT_TRUE(prove(ladder(), variant()).valid());
  ASSERT_EQ(runner->jobs.size(), 1U);
  const DeviceJob& job = runner->jobs[0];
  EXPECT_EQ(job.oracle, "vector_add");
  EXPECT_EQ(job.workload_count, 2U);
  ASSERT_EQ(job.uses.size(), job.cases.size());
  ASSERT_GT(job.cases.size(), 5U) << "what is derived comes behind what is declared";
  EXPECT_EQ(job.uses[1], CaseUse::workload);
  EXPECT_EQ(job.uses[4], CaseUse::odd);
  EXPECT_EQ(job.uses[5], CaseUse::drawn);
  EXPECT_EQ(job.timed_cases.size(), 2U);
  EXPECT_EQ(job.input_seed, 99U);
  EXPECT_EQ(job.tolerance.accuracy_class, "fp32");
  EXPECT_EQ(job.declared_sets, 2U);
  EXPECT_EQ(job.input_sets.size(), 2U + 2U * 18U + 16U + 3U)
      << "and the structured ones, and those that are all zero";
  EXPECT_EQ(job.settings.repeated_launches, 6);
  EXPECT_EQ(job.artifact.arch, "sm_90") << "the device is no l4: it gets code of its own";
}

TEST_F(LadderTest, TheTargetsArtifactIsJudgedAndTheDevicesRun) {
  sanitizer.kernel_of_cubin["sm_89"] = tests::correct_kernel();
  sanitizer.kernel = tests::only([](FakeLaunch& l) { l.pointer<float>(0)[-1] = 0; });
  const GateReport report = prove(ladder(), variant());
  EXPECT_TRUE(report.valid()) << report.failed_gate();
  EXPECT_EQ(report.prepared.artifact->arch, "sm_89");
  EXPECT_EQ(report.prepared.device_artifact->arch, "sm_90");
}

TEST_F(LadderTest, VirtualDeviceRunsTheTargetsArtifact) {
  device.info = sanitizer.info;
  const GateReport report = prove(ladder(), variant());
  EXPECT_TRUE(report.valid());
  EXPECT_FALSE(report.prepared.device_artifact.has_value());
  EXPECT_EQ(runner->jobs[0].artifact.arch, "sm_89");
  EXPECT_EQ(report.evaluation.latencies[0].latency.kind, model::LatencyKind::modelled);
  EXPECT_EQ(ladder().info().latency_kind, model::LatencyKind::modelled);
}

TEST_F(LadderTest, AccuracyClassChoosesTheInputSets) {
  experiment.accuracy_class = "narrow";
  ASSERT_TRUE(prove(ladder(), variant()).valid());
  ASSERT_EQ(runner->jobs[0].declared_sets, 1U);
  EXPECT_EQ(runner->jobs[0].input_sets[0].name, "shifted");
}

TEST_F(LadderTest, ImpossibleExperimentsAreRefusedAtOnce) {
  const auto refused = [&](auto change) {
    experiment = tests::vector_add_experiment();
    change(experiment);
    SpyRunner spy(device);
    EXPECT_THROW(Ladder(experiment, *compiler, spy, {}, evo::tests::known()), model::Exception);
  };
  refused([](model::Experiment& e) { e.accuracy_class = "exact"; });
  refused([](model::Experiment& e) { e.problem.tolerances[0].input_sets = {"missing"}; });
  refused([](model::Experiment& e) { e.templates = {"missing"}; });
  refused([](model::Experiment& e) { e.problem.input_sets.clear(); });
}

TEST_F(LadderTest, InputSeedIsTheExperimentsOrDrawnOnce) {
  EXPECT_EQ(ladder().input_seed(), 99U);
  experiment.input_seed.reset();
  SpyRunner spy(device);
  const Ladder first(experiment, *compiler, spy, {}, evo::tests::known());
  const Ladder second(experiment, *compiler, spy, {}, evo::tests::known());
  EXPECT_EQ(first.input_seed(), first.input_seed());
  EXPECT_NE(first.input_seed(), second.input_seed());
}

TEST_F(LadderTest, IdentityIsCodeAndLaunchPlan) {
  const std::string identity = ladder().prepare(variant()).code_identity;
  EXPECT_EQ(identity, ladder().prepare(variant()).code_identity);
  EXPECT_FALSE(identity.empty());
  EXPECT_NE(identity, ladder().prepare(variant(64, 1024)).code_identity) << "other dynamic shared memory";
  model::Variant edited = variant();
  edited.source += "// edited";
  EXPECT_NE(identity, ladder().prepare(edited).code_identity);
}

TEST_F(LadderTest, EqualCodeWithAnotherPlanIsAnotherVariant) {
  compiler =
      std::make_unique<FakeCompiler>([this](const FakeCompiler::Request& request) -> FakeCompiler::Result {
        model::Artifact artifact = FakeCompiler::plain(request);
        artifact.resources = resources;
        artifact.code_hash = request.arch;
        return artifact;
      });
  EXPECT_EQ(ladder().prepare(variant()).code_identity, ladder().prepare(variant()).code_identity);
  EXPECT_NE(ladder().prepare(variant()).code_identity, ladder().prepare(variant(64, 1024)).code_identity);
}

// Equal code, and a plan that differs for one kind of shape only.
TEST_F(LadderTest, ThePlanOfEveryShapeCounts) {
  compiler =
      std::make_unique<FakeCompiler>([this](const FakeCompiler::Request& request) -> FakeCompiler::Result {
        model::Artifact artifact = FakeCompiler::plain(request);
        artifact.resources = resources;
        artifact.code_hash = request.arch;
        return artifact;
      });
  for (const char* n : {"1000", "1"}) {  // a workload, an odd shape
    ladder_.reset();
    experiment.problem.templates[0].launch.dynamic_smem =
        tests::parsed(std::string("n == ") + n + " ? EXTRA_SMEM : 0");
    EXPECT_NE(ladder().prepare(variant()).code_identity, ladder().prepare(variant(64, 1024)).code_identity)
        << n;
  }
}

TEST_F(LadderTest, TensorMapsArePartOfThePlan) {
  experiment.problem.templates[0].launch.dynamic_smem = tests::parsed("0");
  experiment.problem.templates[0].launch.tensor_maps = {
      {"a_map", "a", {0}, {tests::parsed("EXTRA_SMEM == 0 ? 32 : 64")}, tests::parsed("0")}};
  model::Variant other = variant(64, 1024);
  other.source = variant().source;  // so that the code is equal
  const std::string identity = ladder().prepare(variant()).code_identity;
  ASSERT_FALSE(identity.empty());
  EXPECT_NE(identity, ladder().prepare(other).code_identity);
}

TEST_F(LadderTest, EqualPlansWithOtherCodeAreOtherVariantsOnTheVirtualDeviceToo) {
  device.info = sanitizer.info;
  model::Variant edited = variant();
  edited.source += "// edited";
  EXPECT_NE(ladder().prepare(variant()).code_identity, ladder().prepare(edited).code_identity);
}

// The target's code is equal, that of the device which runs it is not.
TEST_F(LadderTest, TheCodeThatTheDeviceRunsCounts) {
  compiler =
      std::make_unique<FakeCompiler>([this](const FakeCompiler::Request& request) -> FakeCompiler::Result {
        model::Artifact artifact = FakeCompiler::plain(request);
        artifact.resources = resources;
        if (request.arch == "sm_89") artifact.code_hash = "equal";
        return artifact;
      });
  model::Variant edited = variant();
  edited.source += "// edited";
  EXPECT_NE(ladder().prepare(variant()).code_identity, ladder().prepare(edited).code_identity);
}

TEST_F(LadderTest, EvaluateRefusesWhatWasNotPrepared) {
  EXPECT_THROW((void)ladder().evaluate(ladder().prepare(variant(128, 1024))), model::Exception);
  EXPECT_THROW((void)ladder().evaluate(Prepared{}), model::Exception);
  Prepared without_code = ladder().prepare(variant());
  without_code.artifact.reset();
  EXPECT_THROW((void)ladder().evaluate(without_code), model::Exception);
  Prepared failed = ladder().prepare(variant());
  failed.gates.back().failure = model::Failure{Status::over_budget, "spills", {}};
  EXPECT_THROW((void)ladder().evaluate(failed), model::Exception) << "though it has code";
  resources.spill_store_bytes = 16;
  EXPECT_THROW((void)ladder().evaluate(ladder().prepare(variant())), model::Exception);
}

TEST_F(LadderTest, AJobWithoutAVerdictIsABrokenEnvironment) {
  (void)ladder();
  runner->answer = DeviceResult{};
  EXPECT_THROW((void)prove(ladder(), variant()), model::Exception);
}

TEST_F(LadderTest, InfoNamesDeviceAndToolchain) {
  const EvaluatorInfo info = ladder().info();
  EXPECT_EQ(info.device_kind, "cuda");
  EXPECT_EQ(info.device_name, "fake GPU");
  EXPECT_EQ(info.driver, "1.0");
  EXPECT_EQ(info.toolchain, "fake compiler 1.0");
  EXPECT_EQ(info.latency_kind, model::LatencyKind::measured);
}

TEST_F(LadderTest, EmptyReportIsNotValid) {
  EXPECT_FALSE(GateReport{}.valid());
  GateReport only_prepared;
  only_prepared.prepared = ladder().prepare(variant());
  EXPECT_FALSE(only_prepared.valid());
  only_prepared.evaluation.gates.push_back({Gate::sanitize, std::nullopt, 1});
  EXPECT_FALSE(only_prepared.valid()) << "no device has run it";
  only_prepared.evaluation.gates.push_back({Gate::correctness, std::nullopt, 1});
  EXPECT_TRUE(only_prepared.valid());
}

}  // namespace
}  // namespace evo::evaluators::gates
