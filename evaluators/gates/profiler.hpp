// Port: what counts what a variant's launches do. Real: profile::LaunchedProfiler (a GPU's counters) and
// profile::ModelledProfiler (the virtual device's). Fake: tests/.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "evaluators/gates/device_job.hpp"
#include "model/counters.hpp"

namespace evo::evaluators::gates {

/// A way of counting that did not work, and why.
struct NoProfile {
  std::string tool;  ///< "CUPTI", "ncu", "virtual device"
  std::string reason;
  bool not_permitted = false;  ///< the driver lets only an administrator read counters
};

struct Profiled {
  std::optional<model::CounterReading> reading;
  std::vector<NoProfile> refused;         ///< the tools that were tried before, or all of them
  std::optional<model::Failure> failure;  ///< the candidate's: its launch failed while it was counted
};

class Profiler {
 public:
  virtual ~Profiler() = default;
  [[nodiscard]] virtual model::CounterBasis basis() const = 0;
  /// Launches every case of `job` on its first input set. Thread-safe.
  [[nodiscard]] virtual Profiled profile(const DeviceJob& job) = 0;
};

/// Why nothing could be counted, in one sentence that says what to do.
[[nodiscard]] std::string refusal_of(const std::vector<NoProfile>& refused);

}  // namespace evo::evaluators::gates
