#include "engine/early_pairings.hpp"

#include <algorithm>
#include <utility>

#include "engine/verdicts.hpp"

namespace evo::engine {

// Guarded by mutex_ but for `incumbent` and `error`, which are constant.
struct EarlyPairings::Entry {
  std::string incumbent;
  double error = 0;
  bool done = false;
  std::optional<evaluators::Paired> paired;
  std::exception_ptr failure;
};

EarlyPairings::EarlyPairings(evaluators::Evaluator& evaluator, int at_a_time)
    : evaluator_(evaluator), at_a_time_(std::max(at_a_time, 1)), pool_(at_a_time_) {}

EarlyPairings::~EarlyPairings() {
  drain();
}

void EarlyPairings::look_ahead(const TrialRecord& champion, std::span<const Waiting> waiting,
                               double resolution, const ErrorOf& error_of, const VariantOf& variant_of) {
  const TrialRecord* incumbent = &champion;
  std::int64_t open = 0;
  for (const Waiting& next : waiting) {
    if (!needs_pairing(*next.trial, *incumbent)) continue;
    const std::int64_t index = next.trial->index;
    // Whoever is much faster is likely to win.
    bool wins = next.trial->latency()->microseconds < (1 - drift) * incumbent->latency()->microseconds;
    bool known = false;
    {
      const std::scoped_lock lock(mutex_);
      const auto at = entries_.find(index);
      known = at != entries_.end() && at->second->incumbent == incumbent->variant &&
              at->second->error <= error_of(open);
      if (known && at->second->done)
        wins = at->second->paired && at->second->paired->comparison &&
               compare_paired(*at->second->paired->comparison, resolution) == model::Status::better;
      if (!known && (stopped_ || running_ >= at_a_time_)) return;
    }
    if (!known) begin(index, *incumbent, next, error_of(open), variant_of);
    if (wins) {
      incumbent = next.trial;
    } else {
      ++open;
    }
  }
}

void EarlyPairings::begin(std::int64_t index, const TrialRecord& incumbent, const Waiting& waiting,
                          double error, const VariantOf& variant_of) {
  auto entry = std::make_shared<Entry>();
  entry->incumbent = incumbent.variant;
  entry->error = error;
  {
    const std::scoped_lock lock(mutex_);
    std::shared_ptr<Entry>& place = entries_[index];
    // It was begun against somebody else: nobody will ask for that any more.
    if (place && place->done && place->paired) wasted_ += place->paired->device_seconds;
    place = entry;
    ++running_;
  }
  const auto against = std::make_shared<const model::Variant>(variant_of(incumbent));
  pool_.submit(tasks_++, [this, entry, index, prepared = waiting.prepared, against] {
    std::optional<evaluators::Paired> paired;
    std::exception_ptr failure;
    try {
      paired = evaluator_.time_paired(prepared->variant, *against, entry->error);
    } catch (...) {
      failure = std::current_exception();
    }
    const std::scoped_lock lock(mutex_);
    const auto at = entries_.find(index);
    const bool wanted = at != entries_.end() && at->second == entry;
    if (!wanted && paired) wasted_ += paired->device_seconds;
    entry->paired = std::move(paired);
    entry->failure = failure;
    entry->done = true;
    --running_;
    changed_.notify_all();
  });
}

bool EarlyPairings::has_ended(std::int64_t index, const std::string& incumbent, double error) {
  const std::scoped_lock lock(mutex_);
  const auto at = entries_.find(index);
  return at != entries_.end() && at->second->done && at->second->incumbent == incumbent &&
         at->second->error <= error;
}

std::optional<evaluators::Paired> EarlyPairings::take(std::int64_t index, const std::string& incumbent,
                                                      double error) {
  std::unique_lock lock(mutex_);
  const auto at = entries_.find(index);
  if (at == entries_.end()) return std::nullopt;
  const std::shared_ptr<Entry> entry = at->second;
  if (entry->incumbent != incumbent || entry->error > error) return std::nullopt;
  changed_.wait(lock, [&] { return entry->done; });
  entries_.erase(index);
  if (entry->failure) std::rethrow_exception(entry->failure);
  return std::move(entry->paired);
}

double EarlyPairings::wasted(std::int64_t index) {
  const std::scoped_lock lock(mutex_);
  for (auto at = entries_.begin(); at != entries_.end() && at->first <= index; at = entries_.erase(at)) {
    // What still runs adds its own when it ends.
    if (at->second->done && at->second->paired) wasted_ += at->second->paired->device_seconds;
  }
  return std::exchange(wasted_, 0);
}

void EarlyPairings::drain() {
  std::unique_lock lock(mutex_);
  stopped_ = true;
  changed_.wait(lock, [this] { return running_ == 0; });
}

}  // namespace evo::engine
