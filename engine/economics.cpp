#include "engine/economics.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "engine/budget.hpp"
#include "engine/stop_if.hpp"

namespace evo::engine {
namespace {

std::size_t phase_of(model::Gate gate) {
  if (gate <= model::Gate::resources) return 0;
  return gate >= model::Gate::latency ? 2 : 1;
}

/// The gates that a real device works for; sanitize runs on the virtual one.
bool on_device(model::Gate gate) {
  return gate >= model::Gate::correctness;
}

std::string detail(const EventRecord& event, const char* key) {
  const auto found = event.details.find(key);
  return found == event.details.end() ? std::string() : found->second;
}

void explain_stop(Economics& total, std::int64_t trials, std::span<const EventRecord> events,
                  bool space_exhausted) {
  const auto last = [&](const char* kind) {
    const auto found = std::find_if(events.rbegin(), events.rend(),
                                    [&](const EventRecord& event) { return event.kind == kind; });
    return found == events.rend() ? nullptr : &*found;
  };
  const EventRecord* finished = last(event_kinds::finished);
  if (finished == nullptr) return;
  const EventRecord* spent = last(event_kinds::budget_stop);
  if (detail(*finished, "status") == "baseline_invalid") {
    total.stopped_by = "baseline";
    total.stopped = "the baseline was refused";
  } else if (spent != nullptr && detail(*spent, "budget") == stop_if_budget) {
    total.stopped_by = stop_if_budget;
    total.stopped = fmt::format("{}: it was {} after {} trials", detail(*spent, "limit"),
                                detail(*spent, "used"), spent->trial);
  } else if (spent != nullptr) {
    total.stopped_by = detail(*spent, "budget");
    total.stopped = fmt::format("{} of {} is spent ({})", total.stopped_by, detail(*spent, "limit"),
                                detail(*spent, "used"));
  } else if (space_exhausted) {
    total.stopped_by = "space";
    total.stopped = "every legal genome was tried";
  } else {
    total.stopped_by = "trials";
    total.stopped = trials == 1 ? "the one trial is done" : fmt::format("all {} trials are done", trials);
  }
}

}  // namespace

void TrialCosts::add(const TrialRecord& trial) {
  if (trials_++ == 0 && trial.correct()) baseline_ = trial.latency();
  double device_gates = 0;
  for (const GateRecord& gate : trial.gates) {
    phases_[phase_of(gate.gate)].seconds += gate.milliseconds / 1000;
    if (on_device(gate.gate)) device_gates += gate.milliseconds;
  }
  device_seconds_ += trial.device_seconds;
  costs_.add(trial);
  for (const GateRecord& gate : trial.gates) {
    if (on_device(gate.gate) && device_gates > 0)
      phases_[phase_of(gate.gate)].device_seconds += trial.device_seconds * gate.milliseconds / device_gates;
  }
}

Economics economics_of(const model::Experiment& experiment, const TrialCosts& costs,
                       std::span<const EventRecord> events, bool space_exhausted,
                       const TrialRecord* champion) {
  Economics total;
  total.phases = costs.phases();
  total.device_seconds = costs.device_seconds();
  total.cost = costs.cost(experiment.budget);
  for (PhaseCost& phase : total.phases)
    phase.cost = total.device_seconds > 0 ? total.cost * phase.device_seconds / total.device_seconds : 0;
  const auto& before = costs.baseline();
  const auto now = champion == nullptr ? std::nullopt : champion->latency();
  if (before && now) total.gain_percent = 100 * (1 - now->microseconds / before->microseconds);
  if (total.gain_percent && *total.gain_percent > 0) {
    total.device_seconds_per_percent = total.device_seconds / *total.gain_percent;
    if (total.cost > 0) total.cost_per_percent = total.cost / *total.gain_percent;
  }
  explain_stop(total, costs.trials(), events, space_exhausted);
  return total;
}

Economics economics_of(const model::Experiment& experiment, std::span<const TrialRecord> trials,
                       std::span<const EventRecord> events, bool space_exhausted,
                       const TrialRecord* champion) {
  TrialCosts costs;
  for (const TrialRecord& trial : trials) costs.add(trial);
  return economics_of(experiment, costs, events, space_exhausted, champion);
}

}  // namespace evo::engine
