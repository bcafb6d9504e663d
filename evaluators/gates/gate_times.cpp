#include "evaluators/gates/gate_times.hpp"

#include <time.h>

#include <algorithm>

namespace evo::evaluators::gates {
namespace {

double seconds_of(clockid_t clock) {
  timespec now{};
  if (::clock_gettime(clock, &now) != 0) return 0;
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

}  // namespace

void GateTimes::add(const GateTime& time) {
  const std::scoped_lock lock(mutex_);
  auto sum = std::find_if(sums_.begin(), sums_.end(), [&](const GateTime& s) { return s.gate >= time.gate; });
  if (sum == sums_.end() || sum->gate != time.gate) {
    sum = sums_.insert(sum, GateTime{});
    sum->gate = time.gate;
  }
  sum->trials += time.trials;
  sum->wall += time.wall;
  sum->cpu += time.cpu;
  sum->device += time.device;
  sum->waiting += time.waiting;
  sum->passed += time.passed;
  sum->device_passed += time.device_passed;
}

std::vector<GateTime> GateTimes::sums() const {
  const std::scoped_lock lock(mutex_);
  return sums_;
}

double thread_cpu_seconds() {
  return seconds_of(CLOCK_THREAD_CPUTIME_ID);
}

double process_cpu_seconds() {
  return seconds_of(CLOCK_PROCESS_CPUTIME_ID);
}

}  // namespace evo::evaluators::gates
