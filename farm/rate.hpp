// How fast a count has grown of late.
#pragma once

#include <chrono>
#include <cmath>
#include <cstdint>
#include <deque>
#include <utility>

namespace evo::farm {

/// For one thread, which notes the count every few seconds.
class Rate {
 public:
  using Clock = std::chrono::steady_clock;

  /// By how much a minute it has grown in the minute before `now`, or since it is known; one digit.
  [[nodiscard]] double note(std::uint64_t count, Clock::time_point now = Clock::now()) {
    noted_.emplace_back(now, count);
    while (noted_.size() > 2 && now - noted_[1].first >= std::chrono::minutes(1)) noted_.pop_front();
    const double minutes = std::chrono::duration<double, std::ratio<60>>(now - noted_.front().first).count();
    const std::uint64_t before = noted_.front().second;
    if (minutes <= 0 || count < before) return 0;
    return std::round(10 * static_cast<double>(count - before) / minutes) / 10;
  }

 private:
  std::deque<std::pair<Clock::time_point, std::uint64_t>> noted_;
};

}  // namespace evo::farm
