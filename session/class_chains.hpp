// The GPUs of other models while a run goes on: each tries the run's champions, the newest first, and between
// them the fastest of what it has not tried.
#pragma once

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <thread>
#include <vector>

#include "engine/campaign.hpp"
#include "engine/ledger.hpp"
#include "session/device_class.hpp"

namespace evo::session {

/// An observer of the campaign, behind which stands another one. What was found out is committed with each
/// generation of the run, and at the end.
class ClassChains final : public engine::CampaignObserver {
 public:
  /// All must outlive it. `tell`, which is called from threads, hears of each new champion; may be empty.
  ClassChains(const std::vector<std::unique_ptr<DeviceClass>>& classes, engine::Ledger& ledger,
              engine::CampaignObserver* behind, Tell tell);
  /// As stop(), and nothing is committed.
  ~ClassChains() override;

  void on_begin(const engine::CampaignProgress& progress) override;
  void on_trial(const engine::TrialRecord& trial, const engine::CampaignProgress& progress) override;
  void on_generation(const engine::GenerationRecord& generation,
                     const engine::CampaignProgress& progress) override;
  void on_event(const engine::EventRecord& event) override;

  /// Begins nothing more, waits for the jobs that are under way, and commits the trials that they ended; the
  /// others are given up, a baseline only where the run was interrupted. On the campaign's thread, after it.
  void stop(bool interrupted);

 private:
  void work(DeviceClass& own);
  void end_work(bool interrupted);
  /// The run's trial that this class is to try now; nullopt: none, for the time being.
  [[nodiscard]] std::optional<engine::TrialRecord> next_for(const DeviceClass& own);
  void note_champion(const engine::CampaignProgress& progress);
  void commit_events();

  engine::Ledger& ledger_;
  engine::CampaignObserver* behind_;
  const Tell tell_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool stopped_ = false;
  std::vector<engine::TrialRecord> trials_;  ///< of the run: those that are correct, and its champions
  std::vector<std::int64_t> champions_;      ///< indices, in order
  std::map<const DeviceClass*, std::set<std::int64_t>> under_way_;
  std::vector<engine::EventRecord> events_;  ///< not yet committed
  std::vector<std::jthread> threads_;        // last: they end before what they use
};

}  // namespace evo::session
