#include "model/measurement.hpp"

#include <algorithm>
#include <cmath>

#include "model/enum_names.hpp"

namespace evo::model {
namespace {
constexpr std::array<std::string_view, 3> kind_names{"modelled", "measured", "recorded"};
}

std::string_view name_of(LatencyKind kind) {
  return detail::enum_name(kind_names, kind);
}
std::optional<LatencyKind> latency_kind_from_name(std::string_view name) {
  return detail::enum_from_name<LatencyKind>(kind_names, name);
}

Latency combine(const std::vector<WorkloadLatency>& workloads) {
  Latency total;
  if (workloads.empty()) return total;
  if (workloads.size() == 1) return workloads.front().latency;
  total.kind = workloads.front().latency.kind;
  total.method = workloads.front().latency.method;
  total.samples = workloads.front().latency.samples;
  double weight_sum = 0, log_sum = 0, variance = 0;
  bool all_intervals = true;
  for (const WorkloadLatency& entry : workloads) {
    weight_sum += entry.weight;
    log_sum += entry.weight * std::log(entry.latency.microseconds);
    total.samples = std::min(total.samples, entry.latency.samples);
    if (entry.latency.ci95 && (*entry.latency.ci95)[0] > 0) {
      // Half-width in logarithms; workloads are timed independently, so half-widths add in squares.
      const double half = entry.weight * 0.5 * std::log((*entry.latency.ci95)[1] / (*entry.latency.ci95)[0]);
      variance += half * half;
    } else {
      all_intervals = false;
    }
  }
  total.microseconds = std::exp(log_sum / weight_sum);
  if (all_intervals) {
    const double spread = std::exp(std::sqrt(variance) / weight_sum);
    total.ci95 = {total.microseconds / spread, total.microseconds * spread};
  }
  return total;
}

}  // namespace evo::model
