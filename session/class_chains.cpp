#include "session/class_chains.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <exception>
#include <utility>

#include <fmt/format.h>

#include "model/error.hpp"

namespace evo::session {
namespace {

bool is_baseline(const engine::TrialRecord& trial) {
  return trial.index == 0;
}

/// What is said of it.
std::string end_of(DeviceClass& own, const char* why) {
  own.end(why);
  return fmt::format("nothing more is tried there: {}", why);
}

}  // namespace

ClassChains::ClassChains(const std::vector<std::unique_ptr<DeviceClass>>& classes, engine::Ledger& ledger,
                         engine::CampaignObserver* behind, Tell tell)
    : ledger_(ledger), behind_(behind), tell_(std::move(tell)) {
  const std::vector<engine::TrialRecord> trials = ledger.trials();
  const std::vector<engine::EventRecord> events = ledger.events();
  for (const engine::TrialRecord& trial : trials)
    if (trial.correct()) trials_.push_back(trial);
  for (const auto& own : classes) {
    own->remember(events, trials);
    under_way_[own.get()] = {};
  }
  // What they share is whole before the first of them begins.
  for (const auto& own : classes) {
    for (int i = 0; i < own->gpus(); ++i) threads_.emplace_back([this, each = own.get()] { work(*each); });
  }
}

ClassChains::~ClassChains() {
  end_work(true);
}

void ClassChains::on_begin(const engine::CampaignProgress& progress) {
  note_champion(progress);
  if (behind_ != nullptr) behind_->on_begin(progress);
}

void ClassChains::on_trial(const engine::TrialRecord& trial, const engine::CampaignProgress& progress) {
  if (trial.correct()) {
    const std::scoped_lock lock(mutex_);
    trials_.push_back(trial);
    changed_.notify_all();
  }
  note_champion(progress);
  if (behind_ != nullptr) behind_->on_trial(trial, progress);
}

void ClassChains::on_generation(const engine::GenerationRecord& generation,
                                const engine::CampaignProgress& progress) {
  commit_events();
  if (behind_ != nullptr) behind_->on_generation(generation, progress);
}

void ClassChains::on_event(const engine::EventRecord& event) {
  if (behind_ != nullptr) behind_->on_event(event);
}

void ClassChains::note_champion(const engine::CampaignProgress& progress) {
  if (!progress.champion) return;
  const engine::TrialRecord& champion = *progress.champion;
  const std::scoped_lock lock(mutex_);
  if (!champions_.empty() && champions_.back() == champion.index) return;
  champions_.push_back(champion.index);
  // A duplicate with fewer edits may lead, too.
  if (std::ranges::find(trials_, champion.index, &engine::TrialRecord::index) == trials_.end())
    trials_.push_back(champion);
  changed_.notify_all();
}

std::optional<engine::TrialRecord> ClassChains::next_for(const DeviceClass& own) {
  const std::set<std::int64_t>& others = under_way_.at(&own);
  const auto is_new = [&](std::int64_t index) { return !own.has(index) && !others.contains(index); };
  const auto found = [&](std::int64_t index) {
    return *std::ranges::find(trials_, index, &engine::TrialRecord::index);
  };
  // Nothing is compared before the baseline is proven.
  if (!own.baseline()) {
    const auto baseline = std::ranges::find_if(trials_, is_baseline);
    return baseline != trials_.end() && is_new(0) ? std::optional(*baseline) : std::nullopt;
  }
  for (auto index = champions_.rbegin(); index != champions_.rend(); ++index)
    if (is_new(*index)) return found(*index);
  std::optional<engine::TrialRecord> fastest;
  for (const engine::TrialRecord& trial : trials_) {
    const auto latency = trial.latency();
    if (!latency || !is_new(trial.index)) continue;
    if (!fastest || latency->microseconds < fastest->latency()->microseconds) fastest = trial;
  }
  return fastest;
}

void ClassChains::work(DeviceClass& own) {
  // Of this thread alone: what the run's own GPUs wait for goes first.
  ::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), 19);
  std::unique_lock lock(mutex_);
  while (!stopped_ && own.ended().empty()) {
    const auto trial = next_for(own);
    if (!trial) {
      changed_.wait(lock);
      continue;
    }
    under_way_[&own].insert(trial->index);
    lock.unlock();
    std::optional<engine::EventRecord> event;
    std::string news;
    try {
      event = own.try_trial(*trial);
      if (!own.ended().empty())
        news = own.ended();
      else if (event->details.contains("champion") && trial->index != 0)
        news = fmt::format("variant {} (trial {}) leads there", trial->variant, trial->index);
    } catch (const model::Exception& error) {
      // Given up: the run, or one that resumes it, may ask again.
      if (error.code() != model::ExitCode::interrupted) news = end_of(own, error.what());
    } catch (const std::exception& error) {
      news = end_of(own, error.what());
    }
    if (tell_ && !news.empty()) tell_(fmt::format("{}: {}", own.model(), news));
    lock.lock();
    under_way_[&own].erase(trial->index);
    if (event) events_.push_back(std::move(*event));
    changed_.notify_all();
  }
}

void ClassChains::end_work(bool interrupted) {
  {
    const std::scoped_lock lock(mutex_);
    stopped_ = true;
    changed_.notify_all();
  }
  // A baseline is waited for where the run goes on to its end: without one nothing can be said of a champion.
  for (const auto& own : under_way_)
    if (interrupted || own.first->baseline()) own.first->abandon(true);
  threads_.clear();
  for (const auto& own : under_way_) own.first->abandon(false);
}

void ClassChains::stop(bool interrupted) {
  end_work(interrupted);
  commit_events();
}

void ClassChains::commit_events() {
  engine::Commit commit;
  {
    const std::scoped_lock lock(mutex_);
    commit.events = std::exchange(events_, {});
  }
  if (!commit.events.empty()) ledger_.commit(commit);
}

}  // namespace evo::session
