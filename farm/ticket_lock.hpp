// Who may do a job now, among those who hold one.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>

namespace evo::farm {

/// A ticket lock: it is had in the order in which it was asked for, and one can wait until somebody has it.
class TicketLock {
 public:
  void lock() {
    std::unique_lock lock(mutex_);
    const std::uint64_t mine = asked_++;
    changed_.notify_all();
    changed_.wait(lock, [&] { return done_ == mine; });
  }
  void unlock() {
    const std::scoped_lock lock(mutex_);
    ++done_;
    changed_.notify_all();
  }
  /// Whose turn it is, counted from 0; nullopt: nobody's within `wait`.
  [[nodiscard]] std::optional<std::uint64_t> taken_within(std::chrono::milliseconds wait) {
    std::unique_lock lock(mutex_);
    if (!changed_.wait_for(lock, wait, [this] { return asked_ != done_; })) return std::nullopt;
    return done_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t asked_ = 0, done_ = 0;
};

}  // namespace evo::farm
