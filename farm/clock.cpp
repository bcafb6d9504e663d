#include "farm/clock.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace evo::farm {
namespace {

constexpr std::size_t most_known = 64;
constexpr int in_a_row = 2;

}  // namespace

Clocks read_clocks() {
  const auto seconds = [](auto time) {
    return std::chrono::duration<double>(time.time_since_epoch()).count();
  };
  return {seconds(std::chrono::system_clock::now()), seconds(std::chrono::steady_clock::now())};
}

ClockWatch::Finding ClockWatch::note(const ClockExchange& now) {
  Finding finding;
  // Theirs was read after the question and before the answer, so ours is ahead by what lies between these.
  const double least_ahead = now.asked.wall - now.theirs.wall;
  const double most_ahead = now.answered.wall - now.theirs.wall;
  ahead_ = (least_ahead + most_ahead) / 2;
  const double bound = bounds_.lease.count();
  if (!warned_ && (least_ahead > bound || most_ahead < -bound)) {
    warned_ = true;
    finding.warning = fmt::format(
        "this machine's clock is {:.0f} s {} that of run {}: certificates and logs go by it, leases do not",
        std::abs(ahead_), ahead_ > 0 ? "ahead of" : "behind", now.whose);
  }
  const auto found = known_.find(now.whose);
  if (found == known_.end()) {
    if (known_.size() >= most_known) known_.clear();
    known_[now.whose].last = now;
    return finding;
  }
  Known& known = found->second;
  const double theirs = now.theirs.steady - known.last.theirs.steady;
  if (theirs < bounds_.least.count()) {
    if (theirs < 0) known = {now};  // another process of that name
    return finding;
  }
  const double least = (now.asked.steady - known.last.answered.steady) / theirs;
  const double most = (now.answered.steady - known.last.asked.steady) / theirs;
  known.slow = most < bounds_.slowest() ? known.slow + 1 : 0;
  known.fast = least > bounds_.fastest() ? known.fast + 1 : 0;
  known.last = now;
  if (std::max(known.slow, known.fast) >= in_a_row) {
    finding.refused = fmt::format(
        "clock: {:.2f} of this machine's seconds pass in one of the run's, and {:.2f} to {:.2f} may",
        (least + most) / 2, bounds_.slowest(), bounds_.fastest());
  }
  return finding;
}

}  // namespace evo::farm
