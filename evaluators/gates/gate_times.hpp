// Where the time of many trials went, gate by gate.
#pragma once

#include <cstdint>
#include <mutex>
#include <vector>

#include "model/verdict.hpp"

namespace evo::evaluators::gates {

/// Sums over the trials that reached a gate, in seconds.
struct GateTime {
  model::Gate gate = model::Gate::legality;
  std::int64_t trials = 0;
  double wall = 0;           ///< in the gate, without `waiting`
  double cpu = 0;            ///< of all threads that worked for it
  double device = 0;         ///< in which a GPU worked for it
  double waiting = 0;        ///< for a free compiler or device
  std::int64_t passed = 0;   ///< of `trials`, those that the gate let through
  double device_passed = 0;  ///< of `device`, what those took
};

/// Thread-safe.
class GateTimes {
 public:
  void add(const GateTime& time);
  /// In the ladder's order.
  [[nodiscard]] std::vector<GateTime> sums() const;

 private:
  mutable std::mutex mutex_;
  std::vector<GateTime> sums_;
};

/// CPU seconds of the calling thread, and of this process's threads together.
[[nodiscard]] double thread_cpu_seconds();
[[nodiscard]] double process_cpu_seconds();

}  // namespace evo::evaluators::gates
