#include "farm/timing_audit.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace evo::farm {
namespace {

/// Names of workers are theirs to choose.
constexpr std::size_t most_workers = 4096;

}  // namespace

std::optional<double> times_as_long(const evaluators::gates::DeviceResult& theirs,
                                    const evaluators::gates::DeviceResult& own) {
  double sum = 0, weights = 0;
  // Names and weights are this machine's: a worker could leave out what it is slow at, or have it count
  // little.
  for (const model::WorkloadLatency& one : own.latencies) {
    if (!(one.latency.microseconds > 0)) continue;
    const auto other = std::ranges::find(theirs.latencies, one.workload, &model::WorkloadLatency::workload);
    if (other == theirs.latencies.end() || !(other->latency.microseconds > 0))
      return std::numeric_limits<double>::infinity();
    sum += one.weight * std::log(other->latency.microseconds / one.latency.microseconds);
    weights += one.weight;
  }
  return weights > 0 ? std::optional(std::exp(sum / weights)) : std::nullopt;
}

std::string TimingAudit::note(const std::string& worker, std::optional<double> ratio) {
  if (!ratio) return {};
  const std::scoped_lock lock(mutex_);
  if (*ratio <= most && *ratio >= 1 / most) {
    misfits_.erase(worker);
    return {};
  }
  if (misfits_.size() >= most_workers || aside_.size() >= most_workers || ++misfits_[worker] < looks)
    return {};
  misfits_.erase(worker);
  if (!aside_.insert(worker).second) return {};
  const std::string what = std::isinf(*ratio)
                               ? "what is timed here was missing in what it sent"
                               : fmt::format("what it timed took it {:.2f} times as long as here", *ratio);
  return fmt::format(
      "worker {} is set aside: {}, {} times in a row: its clocks are held down, others use its GPU, this "
      "machine's is not as it was, or it lies. From now on what it sends is done here",
      worker, what, looks);
}

bool TimingAudit::is_aside(const std::string& worker) const {
  const std::scoped_lock lock(mutex_);
  return aside_.contains(worker);
}

}  // namespace evo::farm
