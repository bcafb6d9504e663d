// What the ladder asks of a champion beyond every candidate's trial.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>

#include "evaluators/gates/ladder.hpp"
#include "evaluators/gates/search_budget.hpp"
#include "tests/support/fake_compiler.hpp"
#include "tests/support/fake_device.hpp"
#include "tests/support/known.hpp"
#include "tests/support/vector_add_experiment.hpp"

namespace evo::evaluators::gates {
namespace {

using model::Status;
using tests::FakeCompiler;
using tests::FakeDevice;
using tests::FakeDeviceSettings;

/// Answers every job with one verdict.
class OneAnswer final : public JobRunner {
 public:
  [[nodiscard]] DeviceResult run(const DeviceJob& job) override {
    jobs.push_back(job);
    DeviceResult result;
    if (silent) return result;
    result.gates.push_back({model::Gate::correctness, failure, 1});
    result.notes.push_back({"perturbed", "so many launches", {}, 0, {}});
    return result;
  }
  [[nodiscard]] devices::DeviceInfo info() const override {
    return {kind, "NVIDIA L4", "sm_89", "1", "uuid"};
  }
  std::string kind = "cuda";
  std::optional<model::Failure> failure;
  bool silent = false;
  std::vector<DeviceJob> jobs;
};

class Champion : public ::testing::Test {
 protected:
  Champion()
      : compiler([this](const FakeCompiler::Request& request) -> FakeCompiler::Result {
          if (compile_failure && request.source.find("EVO_DELAYS") != std::string::npos)
            return tl::make_unexpected(*compile_failure);
          model::Artifact artifact = FakeCompiler::plain(request);
          artifact.resources = {.registers = 32, .static_smem_bytes = 256};
          if (has_places && request.source.find("#define EVO_DELAYS") != std::string::npos)
            artifact.ptx += "\nnanosleep.u32 %r1;\n";
          return artifact;
        }) {
    experiment.gates.champion_launches = 200;
    experiment.gates.champion_orders = 17;
    virtual_device.info.kind = "virtual";
    virtual_device.kernel = tests::correct_kernel();
  }
  std::unique_ptr<Ladder> make(Rigour rigour = Rigour::search) {
    return std::make_unique<Ladder>(
        experiment, compiler, runner,
        [settings = virtual_device] { return std::make_unique<FakeDevice>(settings); }, evo::tests::known(),
        rigour);
  }
  [[nodiscard]] model::Variant variant() const { return tests::vector_add_variant(experiment); }

  model::Experiment experiment = tests::vector_add_experiment();
  OneAnswer runner;
  FakeDeviceSettings virtual_device;
  std::optional<model::Failure> compile_failure;
  bool has_places = true;
  FakeCompiler compiler;
};

TEST_F(Champion, IsAskedForMoreLaunchesAndOrdersThanACandidate) {
  static_cast<void>(prove(*make(), variant()));
  const GateReport report = prove(*make(Rigour::champion), variant());
  ASSERT_EQ(runner.jobs.size(), 2U);
  EXPECT_EQ(runner.jobs[0].perturbed_launches, 0);
  EXPECT_EQ(runner.jobs[0].settings.permuted_runs, 3);
  EXPECT_EQ(runner.jobs[1].perturbed_launches, 200);
  EXPECT_EQ(runner.jobs[1].settings.permuted_runs, 17);
  ASSERT_FALSE(report.evaluation.notes.empty());
  EXPECT_EQ(report.evaluation.notes.back().message, "so many launches");
}

// wgmma and bulk copies run on the exact machine alone: a search for what runs the rest would take minutes.
TEST_F(Champion, OfATemplateThatNoCheckerFollowsTheSanitizeShapesRunOnce) {
  std::atomic<std::size_t> launches = 0;
  std::uint64_t instructions = 0;
  virtual_device.kernel = [&](tests::FakeLaunch& launch) -> devices::Outcome<devices::LaunchReport> {
    devices::LaunchReport report;
    report.blocks_independent = true;  // else they are also run in other orders
    if (!launch.options.coverage) return report;
    ++launches;
    report.thread_instructions = instructions;
    report.unexecuted.push_back({"unexecuted", "a block of code ran in no launch.", "k.cu", 7, {}});
    return report;
  };
  experiment.problem.templates.front().sync_checkable = false;
  const std::size_t shapes = experiment.problem.templates.front().sanitize_shapes.size();
  ASSERT_GT(shapes, 0U);
  const GateReport report = prove(*make(), variant());
  EXPECT_EQ(launches, shapes);
  EXPECT_TRUE(std::ranges::any_of(report.evaluation.notes,
                                  [](const model::Evidence& note) { return note.kind == "not_checked"; }));

  // Where the virtual device is all there is, it looks further, though not for ever, and says so.
  launches = 0;
  instructions = SearchBudget::usual / 4;
  runner.kind = "virtual";
  const auto gates = prove(*make(), variant()).evaluation.gates;
  EXPECT_GT(launches, shapes);
  constexpr std::size_t searches = 2;                    // the second with cases that are special in two ways
  constexpr std::size_t quarters = 4, of_rare_data = 1;  // what zeros decide has a share of its own
  EXPECT_LE(launches, searches * (shapes + quarters + of_rare_data));
  ASSERT_TRUE(!gates.empty() && gates.back().failure && !gates.back().failure->evidence.empty());
  EXPECT_EQ(gates.back().failure->reason, "incomplete_coverage");
  EXPECT_EQ(gates.back().failure->evidence.front().details.back().first, "search");
}

TEST_F(Champion, HasABuildWithDelaysOfItsOwn) {
  const std::unique_ptr<Ladder> ladder = make();
  const DelayedBuild build = ladder->check_delayed(variant());
  EXPECT_TRUE(build.ran);
  EXPECT_FALSE(build.failure);
  ASSERT_EQ(runner.jobs.size(), 1U);
  EXPECT_NE(runner.jobs[0].artifact.ptx.find("nanosleep"), std::string::npos);
  EXPECT_GT(runner.jobs[0].perturbed_launches, 0);
  EXPECT_TRUE(runner.jobs[0].timed_cases.empty());

  for (const Status status :
       {Status::wrong, Status::nondeterministic, Status::device_fault, Status::timeout}) {
    runner.failure = model::Failure{status, "seen", {{"seen", "by delays", {}, 0, {}}}};
    const DelayedBuild refused = ladder->check_delayed(variant());
    ASSERT_TRUE(refused.failure);
    EXPECT_EQ(refused.failure->evidence.at(0).details.back().first, "build");
  }
}

TEST_F(Champion, ABuildWithDelaysThatCannotRunIsToldAndRefusesNothing) {
  const std::unique_ptr<Ladder> ladder = make();
  const auto expect_not_run = [&](const std::string& words) {
    const DelayedBuild build = ladder->check_delayed(variant());
    EXPECT_FALSE(build.ran);
    EXPECT_FALSE(build.failure);
    EXPECT_NE(build.reason.find(words), std::string::npos) << build.reason;
  };
  runner.failure = model::Failure{Status::launch_error, "launch_out_of_resources", {}};
  expect_not_run("launch_out_of_resources");
  has_places = false;
  expect_not_run("no places for delays");
  compile_failure = model::Failure{Status::compile_error, "source_error", {}};
  expect_not_run("source_error");
  runner.kind = "virtual";
  expect_not_run("permutes its orders");
}

TEST_F(Champion, ABuildWithDelaysThatComesBackWithoutAVerdictIsABrokenEnvironment) {
  const std::unique_ptr<Ladder> ladder = make();
  runner.silent = true;
  EXPECT_THROW((void)ladder->check_delayed(variant()), model::Exception);
}

TEST_F(Champion, WhatIsNotLegalOrNotPreparedIsNoChampion) {
  const std::unique_ptr<Ladder> ladder = make();
  const model::Variant illegal = tests::vector_add_variant(experiment, 128, 1024);
  EXPECT_THROW((void)ladder->check_delayed(illegal), model::Exception);
  Prepared prepared = ladder->prepare(variant());
  prepared.artifact.reset();
  EXPECT_THROW((void)ladder->launches_to_watch(prepared), model::Exception);
}

TEST_F(Champion, LaunchesToWatchBeginWithTheShapesWhereEveryLoopTurns) {
  const std::unique_ptr<Ladder> ladder = make();
  const Prepared prepared = ladder->prepare(variant());
  const DeviceJob job = ladder->launches_to_watch(prepared);
  ASSERT_EQ(job.cases.size(), 4U);
  EXPECT_EQ(job.cases[0].name, "sanitize 1");
  EXPECT_EQ(job.cases[1].name, "sanitize 2");
  EXPECT_EQ(job.cases[2].name, "small");
  EXPECT_EQ(job.cases[3].name, "large");
  EXPECT_TRUE(job.timed_cases.empty());
  EXPECT_EQ(job.artifact.entry, "add");
}

}  // namespace
}  // namespace evo::evaluators::gates
