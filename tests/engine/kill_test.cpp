// kill -9 of a process that writes a ledger, at random instants, again and again.
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <random>
#include <thread>

#include "engine/lineage.hpp"
#include "tests/engine/campaign_support.hpp"

namespace evo::engine {
namespace {

using evo::testing::FakeEvaluator;
using evo::testing::small_experiment;

std::unique_ptr<Ledger> open(const std::filesystem::path& file) {
  return open_sqlite_ledger(file, std::filesystem::exists(file) ? LedgerMode::write : LedgerMode::create);
}

TEST(Kill, AfterTwentyKillsTheLineageIsTheUndisturbedOne) {
  auto experiment = small_experiment();
  experiment.search.generations = 40;
  experiment.search.population = 6;
  FakeEvaluator evaluator;
  const Outcome undisturbed = run_small(experiment, evaluator);
  const TemporaryFolder folder;
  const auto file = folder / "ledger.sqlite";

  std::mt19937 random(std::random_device{}());
  std::size_t committed = 0;
  int killed = 0;
  for (; killed < 20; ++killed) {
    const pid_t child = fork();
    if (child == 0) {
      FakeEvaluator slow;
      slow.most_delay_us = 1500;
      const RunLock lock(folder.path());
      const auto ledger = open(file);
      CampaignOptions options;
      options.threads = 2;
      (void)run_campaign(experiment, slow, *ledger, 1, options);
      _exit(0);
    }
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 40000));
    kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    if (WIFEXITED(status)) {
      EXPECT_EQ(WEXITSTATUS(status), 0);
      break;
    }
    if (!std::filesystem::exists(file)) continue;
    const auto ledger = open(file);
    EXPECT_TRUE(ledger->verify().empty());
    const auto trials = ledger->trials();
    ASSERT_GE(trials.size(), committed);
    committed = trials.size();
    for (std::size_t i = 0; i < trials.size(); ++i) {
      ASSERT_EQ(lineage_line(trials[i]), lineage_line(undisturbed.trials[i]));
    }
  }
  EXPECT_GE(killed, 5);
  const auto ledger = open(file);
  EXPECT_EQ(run_campaign(experiment, evaluator, *ledger, 1, {}).lineage_sha256,
            undisturbed.result.lineage_sha256);
  EXPECT_TRUE(ledger->verify().empty());
  EXPECT_EQ(ledger->insights(), undisturbed.ledger->insights());
}

TEST(Kill, SamplesAreThereWithTheirTrialsOrNotAtAll) {
  auto experiment = small_experiment();
  experiment.search.generations = 40;
  experiment.search.population = 6;
  const TemporaryFolder folder;
  const auto file = folder / "ledger.sqlite";
  FakeEvaluator evaluator;
  evaluator.interval = 0.02;
  evaluator.samples = {{"w", "", std::vector<double>(60, 5.25)}};
  evaluator.timing = model::TimingNotes{{true, 0, 0, {}}, {}};
  std::mt19937 random(std::random_device{}());
  const auto checked = [](const Ledger& ledger) {
    EXPECT_TRUE(ledger.verify().empty());
    std::int64_t with_samples = 0;
    for (const TrialRecord& trial : ledger.trials()) {
      const bool kept = !ledger.samples(trial.index).empty();
      EXPECT_EQ(kept, !trial.samples_hash.empty()) << trial.index;
      with_samples += kept ? 1 : 0;
    }
    return with_samples;
  };
  for (int killed = 0; killed < 8; ++killed) {
    const pid_t child = fork();
    if (child == 0) {
      const RunLock lock(folder.path());
      const auto ledger = open(file);
      CampaignOptions options;
      options.threads = 2;
      (void)run_campaign(experiment, evaluator, *ledger, 1, options);
      _exit(0);
    }
    std::this_thread::sleep_for(std::chrono::microseconds(20000 + random() % 40000));
    kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    if (!std::filesystem::exists(file)) continue;
    EXPECT_GE(checked(*open(file)), 0);
    if (WIFEXITED(status)) break;
  }
  // On a busy machine all may have been killed before their first trial.
  const auto ledger = open(file);
  (void)run_campaign(experiment, evaluator, *ledger, 1, {});
  EXPECT_GT(checked(*ledger), 0);
}

}  // namespace
}  // namespace evo::engine
