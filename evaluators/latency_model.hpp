// Port: what the latency of a variant would be by a model, before any device has seen it. Real:
// session/modelled_latency (the virtual device's model). Fake: tests.
#pragma once

#include <optional>
#include <string>

#include "evaluators/evaluator.hpp"

namespace evo::evaluators {

/// What a model says of a variant. Never compared with what a device measured.
struct Modelled {
  std::optional<double> microseconds;  ///< over workloads their weighted geometric mean
  std::string why;                     ///< the model knows no such kernel: in one sentence
  /// The launch itself failed ("device_fault (out_of_bounds)"), so that the candidate would fail on a device.
  std::string failed{};
  double cpu_seconds = 0;
};

class LatencyModel {
 public:
  virtual ~LatencyModel() = default;
  /// With its version: "virtual model v2 of h100".
  [[nodiscard]] virtual std::string name() const = 0;
  /// Thread-safe; the same variant has the same latency on every host. `prepared` has not failed.
  [[nodiscard]] virtual Modelled latency_of(const Prepared& prepared) = 0;
};

}  // namespace evo::evaluators
