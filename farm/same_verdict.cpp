#include <algorithm>

#include "farm/runner.hpp"

namespace evo::farm {
namespace {

using evaluators::gates::DeviceResult;

bool alike(const model::GateResult& a, const model::GateResult& b) {
  if (a.gate != b.gate || a.pass() != b.pass()) return false;
  return a.pass() || (a.failure->status == b.failure->status && a.failure->reason == b.failure->reason);
}

bool alike(const model::WorkloadLatency& a, const model::WorkloadLatency& b) {
  return a.workload == b.workload && a.weight == b.weight && a.latency.kind == b.latency.kind &&
         a.latency.microseconds == b.latency.microseconds;
}

bool alike(const evaluators::gates::PairedSeries& a, const evaluators::gates::PairedSeries& b) {
  return a.workload == b.workload && a.weight == b.weight && a.candidate_us == b.candidate_us &&
         a.opponent_us == b.opponent_us;
}

template <class T>
bool all_alike(const std::vector<T>& a, const std::vector<T>& b) {
  return std::ranges::equal(a, b, [](const T& x, const T& y) { return alike(x, y); });
}

/// A candidate that is stopped by the clock is stopped at another place on another machine.
bool ran_out_of_time(const DeviceResult& result) {
  return std::ranges::any_of(result.gates, [](const model::GateResult& gate) {
    return gate.failure && gate.failure->status == model::Status::timeout;
  });
}

}  // namespace

bool same_verdict(const DeviceResult& one, const DeviceResult& other, bool measured) {
  if (ran_out_of_time(one) || ran_out_of_time(other)) return true;
  if (measured) {
    const auto correctness = [](const DeviceResult& result) {
      return std::ranges::find(result.gates, model::Gate::correctness, &model::GateResult::gate);
    };
    const auto a = correctness(one), b = correctness(other);
    // A comparison in turn has no such gate.
    return a == one.gates.end() || b == other.gates.end() || a->pass() == b->pass();
  }
  return one.blocks_share == other.blocks_share && all_alike(one.gates, other.gates) &&
         all_alike(one.latencies, other.latencies) && all_alike(one.paired, other.paired);
}

}  // namespace evo::farm
