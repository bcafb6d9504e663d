// A run on a scripted device, from its first trial to the verdict on its champion.
#include "session/run.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/session/fake_stack.hpp"

namespace evo::session {
namespace {

using engine::CampaignStatus;
using model::ExitCode;
using model::Status;
using testing::failure_of;
using testing::SeenJob;

struct RunTest : ::testing::Test, testing::FakeRun {
  RunTest() {
    experiment.templates = {"plain"};
    experiment.search.population = 4;
    experiment.search.generations = 2;
    experiment.budget.trials = 6;
    experiment.resolved_yaml = "name: add\n";
    // Whatever is not the baseline takes half of its time.
    script->microseconds = [](const evaluators::gates::DeviceJob& job) {
      return job.artifact.ptx.find("#define THREADS 64") != std::string::npos &&
                     job.artifact.ptx.find("#define EXTRA_SMEM 0") != std::string::npos
                 ? 20.0
                 : 10.0;
    };
    script->paired_ratio = 0.5;
  }
  RunOutcome run(const engine::CampaignOptions& options = {}) {
    return run_to_the_end(experiment, stack(), *ledger, input_seed, options);
  }
  [[nodiscard]] int events(const std::string& kind) const {
    const auto all = ledger->events();
    return static_cast<int>(
        std::count_if(all.begin(), all.end(), [&](const auto& event) { return event.kind == kind; }));
  }
  std::unique_ptr<engine::Ledger> ledger = engine::make_memory_ledger();
};

TEST_F(RunTest, EndsWithAChampionThatStood) {
  const RunOutcome outcome = run();
  EXPECT_EQ(outcome.exit_code(), ExitCode::done);
  ASSERT_EQ(outcome.finalists.size(), 1U);
  ASSERT_NE(outcome.proven_champion(), nullptr);
  EXPECT_NEAR(outcome.proven_champion()->latency()->microseconds, 10, 1e-9);
  ASSERT_TRUE(outcome.result.progress.champion);
  EXPECT_EQ(outcome.result.progress.champion->variant, outcome.proven_champion()->variant);
  EXPECT_EQ(outcome.invalid_baseline(), nullptr);
  EXPECT_EQ(outcome.trials.size(), ledger->trials().size());
  EXPECT_FALSE(outcome.times.empty());
  EXPECT_EQ(events(engine::event_kinds::champion_proven), 1);
}

/// What a run says it does behind its last trial.
class Stages final : public engine::CampaignObserver {
 public:
  void on_stage(const std::string& what) override { told.push_back(what); }
  std::vector<std::string> told;
};

// They take minutes on a GPU with comparators, and nobody should wonder.
TEST_F(RunTest, SaysWhatItDoesBehindItsLastTrial) {
  Stages stages;
  engine::CampaignOptions options;
  options.observer = &stages;
  experiment.budget.insight_checks = 2;
  static_cast<void>(run(options));
  ASSERT_GE(stages.told.size(), 3U);
  EXPECT_NE(stages.told[0].find("proving"), std::string::npos);
  EXPECT_NE(stages.told[1].find("verdict"), std::string::npos);
  EXPECT_NE(stages.told[2].find("1 of 2"), std::string::npos);
  // A run that is over does none of it again.
  Stages again;
  options.observer = &again;
  static_cast<void>(run(options));
  EXPECT_EQ(again.told.size(), 1U);
}

TEST_F(RunTest, WhatIsProvenIsKeptOnceAlsoWhenItIsResumed) {
  static_cast<void>(run());
  const RunOutcome again = run();
  EXPECT_EQ(again.exit_code(), ExitCode::done);
  EXPECT_EQ(events(engine::event_kinds::champion_proven), 1);
}

TEST_F(RunTest, WithoutAFinalistThatStandsThereIsNoChampion) {
  script->verdict = [](const SeenJob& seen) {
    return seen.fresh ? std::optional(failure_of(Status::wrong, "mismatch")) : std::nullopt;
  };
  const RunOutcome outcome = run();
  EXPECT_EQ(outcome.exit_code(), ExitCode::verification_failed);
  EXPECT_EQ(outcome.proven_champion(), nullptr);
  EXPECT_FALSE(outcome.result.progress.champion);
  EXPECT_GT(outcome.finalists.size(), 1U);
  EXPECT_EQ(events(engine::event_kinds::champion_refused), static_cast<int>(outcome.finalists.size()));
  EXPECT_EQ(events(engine::event_kinds::champion_proven), 0);
}

TEST_F(RunTest, TheNextFinalistTakesTheChampionsPlace) {
  int so_far = 0;
  script->verdict = [&so_far](const SeenJob& seen) {
    return seen.fresh && ++so_far == 1 ? std::optional(failure_of(Status::wrong, "mismatch")) : std::nullopt;
  };
  const RunOutcome outcome = run();
  EXPECT_EQ(outcome.exit_code(), ExitCode::done);
  ASSERT_EQ(outcome.finalists.size(), 2U);
  EXPECT_EQ(outcome.result.progress.champion->variant, outcome.finalists[1].trial.variant);
  EXPECT_EQ(events(engine::event_kinds::champion_refused), 1);
  EXPECT_EQ(events(engine::event_kinds::champion_proven), 1);
}

TEST_F(RunTest, AStoppedRunAsksNoFinalist) {
  std::stop_source stop;
  stop.request_stop();
  engine::CampaignOptions options;
  options.stop = stop.get_token();
  const RunOutcome outcome = run(options);
  EXPECT_TRUE(outcome.interrupted());
  EXPECT_EQ(outcome.exit_code(), ExitCode::interrupted);
  EXPECT_TRUE(outcome.finalists.empty());
}

TEST_F(RunTest, AStopWhileFinalistsAreAskedProvesNothing) {
  std::stop_source stop;
  script->verdict = [&stop](const SeenJob& seen) {
    if (seen.fresh) stop.request_stop();
    return std::nullopt;
  };
  engine::CampaignOptions options;
  options.stop = stop.get_token();
  const RunOutcome outcome = run(options);
  EXPECT_EQ(outcome.exit_code(), ExitCode::interrupted);
  EXPECT_TRUE(outcome.finalists.empty());
  EXPECT_EQ(outcome.proven_champion(), nullptr);
  EXPECT_EQ(events(engine::event_kinds::champion_proven), 0);
  EXPECT_EQ(events(engine::event_kinds::champion_refused), 0);
}

TEST_F(RunTest, ARefusedBaselineEndsIt) {
  script->verdict = [](const SeenJob&) { return std::optional(failure_of(Status::wrong, "mismatch")); };
  const RunOutcome outcome = run();
  EXPECT_EQ(outcome.result.status, CampaignStatus::baseline_invalid);
  EXPECT_EQ(outcome.exit_code(), ExitCode::verification_failed);
  ASSERT_NE(outcome.invalid_baseline(), nullptr);
  EXPECT_EQ(outcome.invalid_baseline()->reason, "mismatch");
  EXPECT_TRUE(outcome.finalists.empty());
}

TEST(RunOutcomeExitCode, FollowsTheStatus) {
  RunOutcome outcome;
  const auto code = [&](CampaignStatus status) {
    outcome.result.status = status;
    return outcome.exit_code();
  };
  EXPECT_EQ(code(CampaignStatus::done), ExitCode::done);
  EXPECT_EQ(code(CampaignStatus::budget), ExitCode::done);
  EXPECT_EQ(code(CampaignStatus::interrupted), ExitCode::interrupted);
  EXPECT_EQ(code(CampaignStatus::no_valid_candidate), ExitCode::no_valid_candidate);
  EXPECT_EQ(code(CampaignStatus::baseline_invalid), ExitCode::verification_failed);
}

}  // namespace
}  // namespace evo::session
