#include "engine/early_pairings.hpp"

#include <algorithm>
#include <utility>

#include "engine/verdicts.hpp"

namespace evo::engine {

// Guarded by mutex_ but for `error`, which is constant.
struct EarlyPairings::Entry {
  double error = 0;
  bool done = false;
  std::optional<evaluators::Paired> paired;
  std::exception_ptr failure;

  [[nodiscard]] bool wins(double resolution) const {
    return paired && paired->comparison &&
           compare_paired(*paired->comparison, resolution) == model::Status::better;
  }
  /// It ended in its screening, so that it has spent nothing.
  [[nodiscard]] bool is_screened_out() const {
    return paired && paired->comparison && paired->comparison->error == 0.0;
  }
};

EarlyPairings::EarlyPairings(evaluators::Evaluator& evaluator, int at_a_time)
    : evaluator_(evaluator), at_a_time_(std::max(at_a_time, 1)), pool_(at_a_time_) {}

EarlyPairings::~EarlyPairings() {
  drain();
}

void EarlyPairings::allow(int at_a_time) {
  at_a_time_ = std::max(at_a_time, 1);
  pool_.grow_to(at_a_time_);
}

void EarlyPairings::look_ahead(const TrialRecord& champion, std::span<const Waiting> waiting,
                               double resolution, const ErrorOf& error_of, const VariantOf& variant_of) {
  const TrialRecord* incumbent = &champion;
  bool incumbent_is_guessed = false;
  std::int64_t lost = 0, undecided = 0;
  for (const Waiting& next : waiting) {
    if (!needs_pairing(*next.trial, *incumbent)) continue;
    const Key key{next.trial->index, incumbent->variant};
    std::shared_ptr<const Entry> known;
    bool decided = false, wins = false;
    {
      const std::scoped_lock lock(mutex_);
      const auto at = entries_.find(key);
      // Whether one counts depends on those ahead of it, never on what it says itself: that would be a second
      // look at it.
      if (at != entries_.end() && at->second->error <= error_of(lost)) known = at->second;
      decided = known && known->done;
      if (decided) wins = known->wins(resolution);
      if (decided && !wins && !known->is_screened_out()) ++lost;
      const bool ended_against_another = std::ranges::any_of(
          entries_, [&](const auto& entry) { return entry.first.first == key.first && entry.second->done; });
      if (!known && (stopped_ || running_ >= at_a_time_)) return;
      if (!known && incumbent_is_guessed && ended_against_another) {
        ++undecided;
        continue;
      }
    }
    if (!known) begin(key, next, error_of(lost + undecided), variant_of(*incumbent));
    // Whoever is much faster is likely to win.
    if (!decided)
      wins = next.trial->latency()->microseconds < (1 - drift) * incumbent->latency()->microseconds;
    if (wins) {
      incumbent = next.trial;
      incumbent_is_guessed = !decided;
    } else if (!decided) {
      ++undecided;
    }
  }
}

void EarlyPairings::begin(const Key& key, const Waiting& waiting, double error, model::Variant incumbent) {
  auto entry = std::make_shared<Entry>();
  entry->error = error;
  auto against = std::make_shared<const model::Variant>(std::move(incumbent));
  {
    const std::scoped_lock lock(mutex_);
    std::shared_ptr<Entry>& place = entries_[key];
    // One that has spent too much: its device time is the trial's all the same.
    if (place && place->done && place->paired) wasted_[key.first] += place->paired->device_seconds;
    place = entry;
    ++running_;
  }
  pool_.submit(tasks_++, [this, entry, key, prepared = waiting.prepared, against = std::move(against)] {
    std::optional<evaluators::Paired> paired;
    std::exception_ptr failure;
    try {
      paired = evaluator_.time_paired(prepared->variant, *against, entry->error);
    } catch (...) {
      failure = std::current_exception();
    }
    const std::scoped_lock lock(mutex_);
    const auto at = entries_.find(key);
    const bool wanted = at != entries_.end() && at->second == entry;
    if (!wanted && paired) wasted_[key.first] += paired->device_seconds;
    entry->paired = std::move(paired);
    entry->failure = failure;
    entry->done = true;
    --running_;
    changed_.notify_all();
  });
}

bool EarlyPairings::has_ended(std::int64_t index, const std::string& incumbent, double error) {
  const std::scoped_lock lock(mutex_);
  const auto at = entries_.find({index, incumbent});
  return at != entries_.end() && at->second->done && at->second->error <= error;
}

int EarlyPairings::at_work() {
  const std::scoped_lock lock(mutex_);
  return running_;
}

std::optional<evaluators::Paired> EarlyPairings::take(std::int64_t index, const std::string& incumbent,
                                                      double error) {
  std::unique_lock lock(mutex_);
  const auto at = entries_.find({index, incumbent});
  if (at == entries_.end() || at->second->error > error) return std::nullopt;
  const std::shared_ptr<Entry> entry = at->second;
  changed_.wait(lock, [&] { return entry->done; });
  entries_.erase({index, incumbent});
  if (entry->failure) std::rethrow_exception(entry->failure);
  return std::move(entry->paired);
}

double EarlyPairings::wasted(std::int64_t index) {
  const std::scoped_lock lock(mutex_);
  for (auto at = entries_.begin(); at != entries_.end() && at->first.first <= index;
       at = entries_.erase(at)) {
    // What still runs adds its own when it ends.
    if (at->second->done && at->second->paired) wasted_[index] += at->second->paired->device_seconds;
  }
  double seconds = 0;
  for (auto at = wasted_.begin(); at != wasted_.end() && at->first <= index; at = wasted_.erase(at))
    seconds += at->second;
  return seconds;
}

void EarlyPairings::drain() {
  std::unique_lock lock(mutex_);
  stopped_ = true;
  changed_.wait(lock, [this] { return running_ == 0; });
}

}  // namespace evo::engine
