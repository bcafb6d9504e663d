// A latency and how it was obtained.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/timing_notes.hpp"

namespace evo::model {

enum class LatencyKind : std::uint8_t { modelled, measured, recorded };
[[nodiscard]] std::string_view name_of(LatencyKind kind);
[[nodiscard]] std::optional<LatencyKind> latency_kind_from_name(std::string_view name);

/// Latency of one launch, in microseconds.
struct Latency {
  LatencyKind kind = LatencyKind::modelled;
  double microseconds = 0;                    ///< the median when measured
  std::optional<std::array<double, 2>> ci95;  ///< bootstrap interval of the median; nullopt when modelled
  std::uint32_t samples = 0;
  std::string method;  ///< "virtual model v2", "cuda graph 20x60, hot", ...
};

struct WorkloadLatency {
  std::string workload;
  double weight = 1;
  Latency latency;
};

/// Two variants timed in turn on one device: how long the candidate takes, as a share of the incumbent's
/// time.
struct PairedComparison {
  std::string incumbent;             ///< variant id
  double ratio = 1;                  ///< geometric mean over the rounds, over workloads by their weights
  std::array<double, 2> interval{};  ///< of the ratio
  double confidence = 0;             ///< of the interval, e.g. 0.999
  std::uint32_t rounds = 0;          ///< in which both were timed, those of the screening included
  /// The chance with which it may have promoted a candidate that is no faster; 0: it ended in the screening,
  /// which promotes nobody. nullopt: nobody said one (an older evo, or no decision).
  std::optional<double> error{};
  /// What was unusual; nullopt: nobody looked (an older evo).
  std::optional<TimingNotes> timing{};
};

/// Over several workloads: the weighted geometric mean, its interval from the workloads' (in logarithms).
[[nodiscard]] Latency combine(const std::vector<WorkloadLatency>& workloads);

}  // namespace evo::model
