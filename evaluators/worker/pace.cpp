#include "evaluators/worker/pace.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace evo::evaluators::worker {
namespace {

bool passed(const gates::DeviceResult& result) {
  return !result.gates.empty() &&
         std::ranges::all_of(result.gates, [](const model::GateResult& gate) { return gate.pass(); });
}

/// 0 where there is no time.
double microseconds_of(const gates::DeviceResult& result) {
  double sum = 0;
  for (const model::WorkloadLatency& latency : result.latencies) sum += latency.latency.microseconds;
  return sum;
}

bool is_timed(const gates::DeviceJob& job) {
  return !job.timed_cases.empty() && !job.opponent;
}

}  // namespace

void Pace::ran(const std::string& gpu, const gates::DeviceJob& job, const gates::DeviceResult& result) {
  if (!is_timed(job)) return;
  const std::scoped_lock lock(mutex_);
  if (job_) return;
  if (const double us = microseconds_of(result); passed(result) && us > 0) {
    job_ = job;
    job_->fastest_us.clear();  // as many samples as anybody's
    gpus_[gpu] = {us, 0};
  }
}

std::optional<gates::DeviceJob> Pace::due(const std::string& gpu, const gates::DeviceJob& next) {
  if (!is_timed(next)) return std::nullopt;
  const std::scoped_lock lock(mutex_);
  if (!job_) return std::nullopt;
  const auto [entry, fresh] = gpus_.try_emplace(gpu);
  if (!fresh && ++entry->second.jobs < settings_.every) return std::nullopt;
  entry->second.jobs = 0;
  return job_;
}

std::string Pace::verdict(const std::string& gpu, const gates::DeviceResult& result) {
  if (!passed(result)) return "a kernel that is correct on another GPU of the same model fails on it";
  const std::scoped_lock lock(mutex_);
  gpus_[gpu].us = microseconds_of(result);
  double fastest = gpus_[gpu].us;
  std::string whose = gpu;
  for (const auto& [name, other] : gpus_) {
    if (other.us <= 0 || other.us >= fastest) continue;
    fastest = other.us;
    whose = name;
  }
  if (gpus_[gpu].us <= fastest * settings_.slowest) return {};
  return fmt::format(
      "the same kernel takes it {:.2f} times as long as {}: its clocks are held down, or others use it",
      gpus_[gpu].us / fastest, whose);
}

void Pace::forget(const std::string& gpu) {
  const std::scoped_lock lock(mutex_);
  gpus_.erase(gpu);
}

}  // namespace evo::evaluators::worker
