// Runs of the small experiment, for the tests of the engine.
#pragma once

#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "engine/campaign.hpp"
#include "tests/support/fake_evaluator.hpp"
#include "tests/support/small_experiment.hpp"

namespace evo::engine {

struct Outcome {
  CampaignResult result;
  std::vector<TrialRecord> trials;
  std::unique_ptr<Ledger> ledger;
};

inline Outcome run_small(const model::Experiment& experiment, evaluators::Evaluator& evaluator,
                         const CampaignOptions& options = {}) {
  Outcome outcome;
  outcome.ledger = make_memory_ledger();
  outcome.result = run_campaign(experiment, evaluator, *outcome.ledger, 1, options);
  outcome.trials = outcome.ledger->trials();
  return outcome;
}

/// A clock that a test moves.
class FakeClock final : public Clock {
 public:
  [[nodiscard]] double now() const override { return seconds.load(); }
  std::atomic<double> seconds = 100;
};

/// Fails at the n-th commit, before or after it reached the ledger behind it: what a kill looks like from
/// inside.
class CrashingLedger final : public Ledger {
 public:
  struct Crash : std::runtime_error {
    Crash() : std::runtime_error("crash") {}
  };
  CrashingLedger(Ledger& inner, int commits, bool after) : inner_(inner), left_(commits), after_(after) {}

  [[nodiscard]] std::optional<RunMeta> meta() const override { return inner_.meta(); }
  void begin(const RunMeta& meta) override { inner_.begin(meta); }
  void commit(const Commit& commit) override {
    const bool last = --left_ < 0;
    if (last && !after_) throw Crash();
    inner_.commit(commit);
    if (last) throw Crash();
  }
  [[nodiscard]] std::vector<TrialRecord> trials() const override { return inner_.trials(); }
  [[nodiscard]] std::vector<GenerationRecord> generations() const override { return inner_.generations(); }
  [[nodiscard]] std::vector<model::Insights> insights() const override { return inner_.insights(); }
  [[nodiscard]] std::vector<EventRecord> events() const override { return inner_.events(); }
  [[nodiscard]] std::vector<model::SampleSeries> samples(std::int64_t trial) const override {
    return inner_.samples(trial);
  }
  [[nodiscard]] std::vector<IntegrityIssue> verify() const override { return inner_.verify(); }

 private:
  Ledger& inner_;
  int left_;
  bool after_;
};

/// A folder that is removed with everything in it.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    static std::atomic<int> count = 0;
    path_ = std::filesystem::temp_directory_path() / fmt::format("evo-engine-{}-{}", getpid(), ++count);
    std::filesystem::create_directories(path_);
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

}  // namespace evo::engine
