// A run that is cut off anywhere and continued has the lineage of the undisturbed one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "engine/insights.hpp"
#include "engine/lineage.hpp"
#include "model/error.hpp"
#include "tests/engine/campaign_support.hpp"

namespace evo::engine {
namespace {

using evo::testing::FakeEvaluator;
using evo::testing::small_experiment;
using ::testing::HasSubstr;

std::string all_lines(const std::vector<TrialRecord>& trials) {
  std::string text;
  for (const TrialRecord& trial : trials) text += lineage_line(trial) + "\n";
  return text;
}

TEST(Resume, AfterACrashAtEveryCommitTheLineageIsTheUndisturbedOne) {
  auto experiment = small_experiment();
  experiment.search.generations = 4;
  FakeEvaluator evaluator;
  const Outcome undisturbed = run_small(experiment, evaluator);
  CampaignOptions options;
  options.threads = 2;
  for (int commits = 0; commits <= 32; ++commits) {
    for (const bool after : {false, true}) {
      const auto ledger = make_memory_ledger();
      CrashingLedger crashing(*ledger, commits, after);
      EXPECT_THROW((void)run_campaign(experiment, evaluator, crashing, 1, options), CrashingLedger::Crash);
      const auto result = run_campaign(experiment, evaluator, *ledger, 1, options);
      ASSERT_EQ(all_lines(ledger->trials()), all_lines(undisturbed.trials)) << commits << after;
      EXPECT_EQ(result.status, CampaignStatus::done);
      EXPECT_EQ(ledger->insights(), undisturbed.ledger->insights());
      EXPECT_EQ(ledger->generations().size(), 4u);
    }
  }
}

TEST(Resume, ManyCrashesInARowChangeNothing) {
  FakeEvaluator evaluator;
  evaluator.most_delay_us = 200;
  const Outcome undisturbed = run_small(small_experiment(), evaluator);
  const auto ledger = make_memory_ledger();
  CampaignOptions options;
  options.threads = options.device_threads = 2;
  for (int crash = 0; crash < 30; ++crash) {
    CrashingLedger crashing(*ledger, crash % 4, crash % 2 == 0);
    EXPECT_THROW((void)run_campaign(small_experiment(), evaluator, crashing, 1, options),
                 CrashingLedger::Crash);
    if (ledger->trials().size() > 40) break;
  }
  const auto result = run_campaign(small_experiment(), evaluator, *ledger, 1, options);
  EXPECT_EQ(result.lineage_sha256, undisturbed.result.lineage_sha256);
}

/// Asks for a stop at a given trial.
class Stopper final : public CampaignObserver {
 public:
  Stopper(std::stop_source& source, std::int64_t trial) : source_(source), trial_(trial) {}
  void on_trial(const TrialRecord& trial, const CampaignProgress&) override {
    if (trial.index == trial_) source_.request_stop();
  }

 private:
  std::stop_source& source_;
  std::int64_t trial_;
};

TEST(Resume, AnInterruptDrainsCommitsAndContinues) {
  FakeEvaluator evaluator;
  const Outcome undisturbed = run_small(small_experiment(), evaluator);
  for (const std::int64_t at : {0, 1, 7, 8, 30, 40}) {
    const auto ledger = make_memory_ledger();
    std::stop_source source;
    Stopper stopper(source, at);
    CampaignOptions options;
    options.threads = 3;
    options.stop = source.get_token();
    options.observer = &stopper;
    const auto first = run_campaign(small_experiment(), evaluator, *ledger, 1, options);
    EXPECT_EQ(first.status, CampaignStatus::interrupted);
    EXPECT_GT(first.progress.trials, at);
    EXPECT_EQ(ledger->events().back().kind, event_kinds::interrupted);
    EXPECT_EQ(summarize(*ledger, small_experiment()).status, CampaignStatus::interrupted);
    const auto second = run_campaign(small_experiment(), evaluator, *ledger, 1, {});
    EXPECT_EQ(second.status, CampaignStatus::done);
    EXPECT_EQ(second.lineage_sha256, undisturbed.result.lineage_sha256);
  }
}

TEST(Resume, AFinishedRunIsNotContinued) {
  FakeEvaluator evaluator;
  const Outcome done = run_small(small_experiment(), evaluator);
  const int evaluated = evaluator.evaluated;
  const auto again = run_campaign(small_experiment(), evaluator, *done.ledger, 1, {});
  EXPECT_EQ(again.status, CampaignStatus::done);
  EXPECT_EQ(evaluator.evaluated, evaluated);
  EXPECT_EQ(done.ledger->events().size(), 1u);
}

void expect_refused(const model::Experiment& experiment, FakeEvaluator& evaluator, std::uint64_t input_seed,
                    model::ExitCode code, const std::string& message) {
  FakeEvaluator original;
  const auto ledger = make_memory_ledger();
  CrashingLedger crashing(*ledger, 5, true);
  EXPECT_THROW((void)run_campaign(small_experiment(), original, crashing, 1, {}), CrashingLedger::Crash);
  try {
    (void)run_campaign(experiment, evaluator, *ledger, input_seed, {});
    FAIL() << "continued";
  } catch (const model::Exception& error) {
    EXPECT_EQ(error.code(), code);
    EXPECT_THAT(error.what(), HasSubstr(message));
  }
}

TEST(Resume, IsRefusedWhenTheWorldHasChanged) {
  using model::ExitCode;
  const auto experiment = small_experiment();
  FakeEvaluator toolchain, driver, device, kind, same;
  toolchain.description.toolchain = "fake compiler 2";
  expect_refused(experiment, toolchain, 1, ExitCode::environment, "toolchain: the run has 'fake compiler 1'");
  driver.description.driver = "600.1";
  expect_refused(experiment, driver, 1, ExitCode::environment, "driver");
  device.description.device_name = "another";
  expect_refused(experiment, device, 1, ExitCode::environment, "device model");
  FakeEvaluator another_model;
  another_model.description.latency_model = "fake model v2";
  expect_refused(experiment, another_model, 1, ExitCode::environment,
                 "latency model: the run has 'fake', now it is 'fake model v2'");
  kind.description.device_kind = "cuda";
  expect_refused(experiment, kind, 1, ExitCode::environment,
                 "device: the run has 'virtual', now it is 'cuda'");
  auto problem = experiment;
  problem.problem.content_hash = "problem-2";
  expect_refused(problem, same, 1, ExitCode::invalid_configuration, "problem: its content changed");
  expect_refused(problem, same, 1, ExitCode::invalid_configuration, "reference.cu and comparator.py");
  auto edited = experiment;
  edited.resolved_yaml += "search: {}\n";
  expect_refused(edited, same, 1, ExitCode::invalid_configuration, "experiment: its content changed");
  // The original has no weights in its YAML, as runs of an evo before they were data.
  auto weighted = experiment;
  weighted.resolved_yaml += "search:\n  mutators: {gene_mutation: 1}\n";
  expect_refused(weighted, same, 1, ExitCode::invalid_configuration, "made by an older evo");
  expect_refused(experiment, same, 2, ExitCode::invalid_configuration,
                 "input seed: the run has '1', now it is '2'");
}

}  // namespace
}  // namespace evo::engine
