// Checks in a GPU's idle time: they are made, they are few, and nothing of a run depends on them.
#include "session/idle_checks.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "session/run.hpp"
#include "tests/session/fake_stack.hpp"

namespace evo::session {
namespace {

namespace idle_test_gates = evaluators::gates;

/// A runner with a GPU that is idle whenever somebody asks.
class AlwaysIdle final : public idle_test_gates::JobRunner, public idle_test_gates::IdleRunner {
 public:
  explicit AlwaysIdle(const std::shared_ptr<testing::Script>& script) : runner_(script, false) {}
  [[nodiscard]] idle_test_gates::DeviceResult run(const idle_test_gates::DeviceJob& job) override {
    return runner_.run(job);
  }
  [[nodiscard]] std::optional<idle_test_gates::DeviceResult> run_if_idle(
      const idle_test_gates::DeviceJob& job) override {
    const std::scoped_lock lock(mutex);
    idle_jobs.push_back(job);
    return runner_.run(job);
  }
  [[nodiscard]] evaluators::devices::DeviceInfo info() const override { return runner_.info(); }

  std::mutex mutex;
  std::vector<idle_test_gates::DeviceJob> idle_jobs;

 private:
  testing::ScriptedRunner runner_;
};

struct IdleChecksTest : ::testing::Test {
  IdleChecksTest() {
    run.experiment.templates = {"plain"};
    run.experiment.search.population = 4;
    run.experiment.search.generations = 2;
    run.experiment.budget.trials = 6;
    run.experiment.resolved_yaml = "name: add\n";
    run.script->microseconds = [](const idle_test_gates::DeviceJob& job) {
      return job.artifact.ptx.find("#define THREADS 64") != std::string::npos &&
                     job.artifact.ptx.find("#define EXTRA_SMEM 0") != std::string::npos
                 ? 20.0
                 : 10.0;
    };
    run.script->paired_ratio = 0.5;
  }
  /// A run without idle slots.
  RunOutcome plain(engine::Ledger& ledger) {
    return run_to_the_end(run.experiment, run.stack(), ledger, run.input_seed, {});
  }
  /// What idle slots make of the run in `ledger`, up to `most`, once there are `enough`, all of them
  /// otherwise, or `patience` is at its end.
  std::vector<engine::EventRecord> idle_events(
      const engine::Ledger& ledger, std::int64_t most, std::optional<std::int64_t> enough = {},
      std::chrono::milliseconds patience = std::chrono::seconds(20)) {
    StackParts parts = testing::scripted_parts(run.script);
    AlwaysIdle* idle = nullptr;
    parts.runner = [&] {
      auto made = std::make_unique<AlwaysIdle>(run.script);
      idle = made.get();
      return made;
    };
    EvaluationStack stack(run.experiment, std::move(parts), run.input_seed);
    const WatchedEvaluator watched(stack.ladder());
    IdleChecks checks(run.experiment, stack, *idle, watched, ledger, nullptr, {.most = most, .threads = 1});
    checks.on_begin(engine::summarize(ledger, run.experiment).progress);
    std::vector<engine::EventRecord> events;
    const auto end = std::chrono::steady_clock::now() + (most > 0 ? patience : patience * 0);
    while (static_cast<std::int64_t>(events.size()) < enough.value_or(most) &&
           std::chrono::steady_clock::now() < end) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      for (engine::EventRecord& event : checks.ended()) events.push_back(std::move(event));
    }
    const std::scoped_lock lock(idle->mutex);
    jobs = idle->idle_jobs;
    return events;
  }
  testing::FakeRun run;
  std::vector<idle_test_gates::DeviceJob> jobs;
};

TEST_F(IdleChecksTest, AreTimedInPiecesBothWaysOnTheRunsOwnInputs) {
  const auto ledger = engine::make_memory_ledger();
  const RunOutcome outcome = plain(*ledger);
  ASSERT_TRUE(outcome.result.progress.champion.has_value());
  const auto events = idle_events(*ledger, 1);
  ASSERT_EQ(events.size(), 1U);
  const auto checks = find_checks(events, outcome.result.progress.champion->index);
  ASSERT_EQ(checks.size(), 1U);
  EXPECT_TRUE(checks[0].idle);
  EXPECT_EQ(checks[0].pairs(), static_cast<std::size_t>(check_jobs * check_rounds));
  int pieces = 0;
  for (const auto& job : jobs) {
    EXPECT_EQ(job.input_seed, run.input_seed) << "no seed of its own is drawn";
    if (!job.opponent) continue;
    ++pieces;
    EXPECT_EQ(job.settings.paired_rounds, idle_rounds) << "a trial waits for no more";
  }
  EXPECT_EQ(pieces, check_jobs * check_rounds / idle_rounds);
}

TEST_F(IdleChecksTest, AreNoMoreThanWereAskedForOverAllSessions) {
  // Two genes of the champion are not the first genome's: there are two comparisons to make.
  run.experiment.budget.trials = 20;
  run.script->microseconds = [](const idle_test_gates::DeviceJob& job) {
    return job.artifact.ptx.find("#define THREADS 32") != std::string::npos &&
                   job.artifact.ptx.find("#define EXTRA_SMEM 1024") != std::string::npos
               ? 10.0
               : 20.0;
  };
  const auto ledger = engine::make_memory_ledger();
  const RunOutcome outcome = plain(*ledger);
  ASSERT_TRUE(outcome.result.progress.champion);
  const model::Genome& best = outcome.result.progress.champion->genome;
  ASSERT_EQ(best, model::Genome({{"THREADS", std::int64_t{32}}, {"EXTRA_SMEM", std::int64_t{1024}}}))
      << best.text();
  EXPECT_TRUE(idle_events(*ledger, 0).empty());
  engine::Commit commit;
  commit.events = idle_events(*ledger, 1);
  ASSERT_EQ(commit.events.size(), 1U);
  ledger->commit(commit);
  EXPECT_TRUE(idle_events(*ledger, 1, 1, std::chrono::milliseconds(400)).empty());
  EXPECT_EQ(idle_events(*ledger, 2, 1).size(), 1U) << "of two, one was made";
  const auto before = ledger->events().size();
  jobs.clear();
  StackParts parts = testing::scripted_parts(run.script);
  parts.runner = [&] { return std::make_unique<AlwaysIdle>(run.script); };
  EvaluationStack stack(run.experiment, std::move(parts), run.input_seed);
  static_cast<void>(run_to_the_end(run.experiment, stack, *ledger, run.input_seed, {}, 1));
  EXPECT_EQ(ledger->events().size(), before) << "its one comparison was made";
}

// Whatever a fast or a slow machine had time for: the trials, and what goes back, are the same.
TEST_F(IdleChecksTest, ChangeNeitherTheLineageNorWhatGoesBack) {
  const auto without = engine::make_memory_ledger(), with = engine::make_memory_ledger();
  const RunOutcome plain_run = plain(*without);
  StackParts parts = testing::scripted_parts(run.script);
  parts.runner = [&] { return std::make_unique<AlwaysIdle>(run.script); };
  EvaluationStack stack(run.experiment, std::move(parts), run.input_seed);
  const RunOutcome idle_run = run_to_the_end(run.experiment, stack, *with, run.input_seed, {}, 100);
  EXPECT_EQ(idle_run.result.lineage_sha256, plain_run.result.lineage_sha256);
  EXPECT_FALSE(idle_run.reduction) << "the budget has no slot";
  EXPECT_EQ(idle_run.deciding, 0U);
  engine::Commit commit;
  commit.events = idle_events(*without, 1);
  ASSERT_EQ(commit.events.size(), 1U);
  without->commit(commit);
  const RunOutcome again = plain(*without);
  EXPECT_EQ(again.checks.size(), 1U) << "it is shown";
  EXPECT_EQ(again.deciding, 0U);
  EXPECT_FALSE(again.reduction);
}

TEST_F(IdleChecksTest, ADeviceThatNeverIsIdleCostsNothing) {
  const auto ledger = engine::make_memory_ledger();
  const RunOutcome outcome = run_to_the_end(run.experiment, run.stack(), *ledger, run.input_seed, {}, 100);
  EXPECT_TRUE(outcome.checks.empty());
}

}  // namespace
}  // namespace evo::session
