#include "farm/timing_audit.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace evo::farm {
namespace {

/// Names of workers are theirs to choose.
constexpr std::size_t most_workers = 4096;

}  // namespace

double times_as_long(const evaluators::gates::DeviceResult& theirs,
                     const evaluators::gates::DeviceResult& own) {
  double sum = 0, weights = 0;
  for (const model::WorkloadLatency& one : theirs.latencies) {
    const auto other = std::ranges::find(own.latencies, one.workload, &model::WorkloadLatency::workload);
    if (other == own.latencies.end() || !(one.latency.microseconds > 0) || !(other->latency.microseconds > 0))
      continue;
    sum += one.weight * std::log(one.latency.microseconds / other->latency.microseconds);
    weights += one.weight;
  }
  return weights > 0 ? std::exp(sum / weights) : 1;
}

std::string TimingAudit::note(const std::string& worker, double ratio) {
  const std::scoped_lock lock(mutex_);
  if (ratio <= most && ratio >= 1 / most) {
    misfits_.erase(worker);
    return {};
  }
  if (misfits_.size() >= most_workers || aside_.size() >= most_workers || ++misfits_[worker] < looks)
    return {};
  misfits_.erase(worker);
  if (!aside_.insert(worker).second) return {};
  return fmt::format(
      "worker {} is set aside: what it timed took it {:.2f} times as long as here, {} times in a row: its "
      "clocks are held down, others use its "
      "GPU, this machine's is not as it was, or it lies. From now on what it sends is done here",
      worker, ratio, looks);
}

bool TimingAudit::is_aside(const std::string& worker) const {
  const std::scoped_lock lock(mutex_);
  return aside_.contains(worker);
}

}  // namespace evo::farm
