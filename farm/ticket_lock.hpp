// Who may do a job now, among those who hold one.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <set>
#include <utility>

namespace evo::farm {

/// A ticket lock: had by so many at a time, in the order in which it was asked for, but for those who come
/// first; one can wait until all places are taken.
class TicketLock {
 public:
  /// `places`: how many may have it at a time, at least 1.
  explicit TicketLock(std::uint64_t places = 1) : places_(places) {}

  /// `first`: before all that are not, whenever they asked.
  void lock(bool first = false) {
    std::unique_lock lock(mutex_);
    const auto mine = waiting_.emplace(!first, asked_++).first;
    changed_.notify_all();
    changed_.wait(lock, [&] { return held() < places_ && mine == waiting_.begin(); });
    waiting_.erase(mine);
    changed_.notify_all();  // there may be a place for the next, too
  }
  void unlock() {
    const std::scoped_lock lock(mutex_);
    ++done_;
    changed_.notify_all();
  }
  /// Whether anybody has it.
  [[nodiscard]] bool in_use() {
    const std::scoped_lock lock(mutex_);
    return asked_ != done_;
  }
  /// How often it was given back before all places were taken; nullopt: they are not, within `wait`.
  [[nodiscard]] std::optional<std::uint64_t> taken_within(std::chrono::milliseconds wait) {
    std::unique_lock lock(mutex_);
    if (!changed_.wait_for(lock, wait, [this] { return asked_ - done_ >= places_; })) return std::nullopt;
    return done_;
  }

 private:
  [[nodiscard]] std::uint64_t held() const { return asked_ - done_ - waiting_.size(); }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::set<std::pair<bool, std::uint64_t>> waiting_;  ///< who does not come first, and their number
  std::uint64_t places_, asked_ = 0, done_ = 0;
};

}  // namespace evo::farm
