#include <stdexcept>

#include "engine/ledger.hpp"

namespace evo::engine {
namespace {

/// Nothing can be altered behind its back, so that verify() has nothing to find.
class MemoryLedger final : public Ledger {
 public:
  [[nodiscard]] std::optional<RunMeta> meta() const override { return meta_; }

  void begin(const RunMeta& meta) override {
    if (meta_) throw std::logic_error("ledger: begin() was called twice");
    meta_ = meta;
  }

  void commit(const Commit& commit) override {
    if (!meta_) throw std::logic_error("ledger: commit() before begin()");
    if (commit.trial && commit.trial->index != static_cast<std::int64_t>(trials_.size())) {
      throw std::logic_error("ledger: a trial out of order");
    }
    if (commit.trial) trials_.push_back(*commit.trial), samples_.push_back(commit.samples);
    if (commit.generation) generations_.push_back(*commit.generation);
    if (commit.insights) insights_.push_back(*commit.insights);
    events_.insert(events_.end(), commit.events.begin(), commit.events.end());
  }

  [[nodiscard]] std::vector<TrialRecord> trials() const override { return trials_; }
  [[nodiscard]] std::vector<GenerationRecord> generations() const override { return generations_; }
  [[nodiscard]] std::vector<model::Insights> insights() const override { return insights_; }
  [[nodiscard]] std::vector<EventRecord> events() const override { return events_; }
  [[nodiscard]] std::vector<model::SampleSeries> samples(std::int64_t trial) const override {
    const auto at = static_cast<std::size_t>(trial);
    return trial >= 0 && at < samples_.size() ? samples_[at] : std::vector<model::SampleSeries>();
  }
  [[nodiscard]] std::vector<IntegrityIssue> verify() const override { return {}; }

 private:
  std::optional<RunMeta> meta_;
  std::vector<TrialRecord> trials_;
  std::vector<std::vector<model::SampleSeries>> samples_;  ///< by trial
  std::vector<GenerationRecord> generations_;
  std::vector<model::Insights> insights_;
  std::vector<EventRecord> events_;
};

}  // namespace

std::unique_ptr<Ledger> make_memory_ledger() {
  return std::make_unique<MemoryLedger>();
}

}  // namespace evo::engine
