#include "engine/verdicts.hpp"

#include "engine/budget.hpp"

#include <cmath>
#include <iterator>

#include <fmt/format.h>

#include "model/hash.hpp"

namespace evo::engine {
namespace {

using model::Status;

void record_gates(TrialRecord& trial, const std::vector<model::GateResult>& gates) {
  for (const model::GateResult& gate : gates) {
    trial.gates.push_back({gate.gate, gate.pass(), gate.milliseconds});
    if (gate.pass()) continue;
    trial.status = gate.failure->status;
    trial.gate = gate.gate;
    trial.reason = gate.failure->reason;
    trial.evidence = gate.failure->evidence;
  }
}

/// A latency that no ranking can use: not a number, zero or negative.
const model::WorkloadLatency* unusable(const std::vector<model::WorkloadLatency>& latencies) {
  for (const model::WorkloadLatency& entry : latencies) {
    if (!std::isfinite(entry.latency.microseconds) || entry.latency.microseconds <= 0) return &entry;
  }
  return nullptr;
}

void quarantine(TrialRecord& trial, std::string reason, std::string message) {
  trial.status = Status::quarantined;
  trial.gate = model::Gate::latency;
  trial.reason = std::move(reason);
  trial.evidence = {{"latency", std::move(message), {}, 0, {}}};
  trial.latencies.clear();
}

}  // namespace

TrialRecord trial_of(const Proposal& proposal, const SlotId& slot, const model::Variant& variant) {
  TrialRecord trial;
  trial.index = slot.index;
  trial.generation = slot.generation;
  trial.slot = slot.slot;
  trial.variant = variant.id;
  trial.template_name = proposal.template_name;
  trial.genome = proposal.genome;
  trial.parents = proposal.parents;
  trial.operator_name = proposal.operator_name;
  trial.rationale = proposal.rationale;
  // A prediction of no effect may be -0, which a database gives back as 0.
  if (proposal.predicted_effect)
    trial.predicted_effect = *proposal.predicted_effect == 0 ? 0.0 : *proposal.predicted_effect;
  trial.source_hash = model::sha256(variant.source);
  return trial;
}

void record_prepared(TrialRecord& trial, const evaluators::Prepared& prepared) {
  record_gates(trial, prepared.gates);
  if (prepared.artifact) trial.resources = prepared.artifact->resources;
  trial.code_identity = prepared.code_identity;
}

void record_evaluation(TrialRecord& trial, const evaluators::Evaluation& evaluation) {
  trial.device_seconds += evaluation.device_seconds;
  trial.status = Status::proven;
  record_gates(trial, evaluation.gates);
  if (trial.status != Status::proven) return;
  trial.latencies = evaluation.latencies;
  trial.timing = evaluation.timing;
  if (trial.latencies.empty()) {
    quarantine(trial, "no_latency", "every gate passed, but no latency came back");
  } else if (const auto* entry = unusable(trial.latencies)) {
    quarantine(trial, "latency_unusable",
               fmt::format("workload {}: a latency of {} us", entry->workload, entry->latency.microseconds));
  }
}

void record_work(TrialRecord& trial, const evaluators::Evaluation* evaluation, const model::Budget& budget,
                 double farm_cost) {
  const bool elsewhere = evaluation != nullptr && !evaluation->worker.empty();
  const bool priced = evaluation != nullptr && evaluation->priced;
  if (!elsewhere && farm_cost <= 0) return;
  WorkRecord work;
  if (elsewhere) work.worker = evaluation->worker, work.device = evaluation->worker_device;
  // A worker's price is what its time costs; device time of one that says none has the run's price.
  if (priced || farm_cost > 0) work.cost = farm_cost + (priced ? 0 : cost_of(budget, trial.device_seconds));
  trial.work = std::move(work);
}

void record_duplicate(TrialRecord& trial, const TrialRecord& original, const char* reason) {
  trial.status = Status::duplicate;
  trial.gate.reset();
  trial.reason = reason;
  trial.duplicate_of = original.variant;
  trial.latencies = original.latencies;
}

Status compare_latency(const model::Latency& candidate, const model::Latency& incumbent) {
  if (candidate.kind == model::LatencyKind::measured && incumbent.kind == model::LatencyKind::measured)
    return candidate.microseconds > (1 + drift) * incumbent.microseconds ? Status::correct_slower
                                                                         : Status::tie;
  if (candidate.microseconds < incumbent.microseconds) return Status::better;
  return candidate.microseconds > incumbent.microseconds ? Status::correct_slower : Status::tie;
}

Status compare_paired(const model::PairedComparison& paired, double resolution) {
  if (paired.interval[1] < 1 - resolution) return Status::better;
  return paired.interval[0] > 1 + resolution ? Status::correct_slower : Status::tie;
}

bool needs_pairing(const TrialRecord& trial, const TrialRecord& champion) {
  const auto candidate = trial.latency();
  const auto incumbent = champion.latency();
  return trial.status == Status::proven && candidate && incumbent &&
         candidate->kind == model::LatencyKind::measured &&
         candidate->microseconds <= promising * incumbent->microseconds;
}

void compare_with_champion(TrialRecord& trial, const TrialRecord& champion, double resolution) {
  const auto candidate = trial.latency();
  const auto incumbent = champion.latency();
  if (trial.status != Status::proven || !candidate || !incumbent) return;
  trial.status =
      trial.paired ? compare_paired(*trial.paired, resolution) : compare_latency(*candidate, *incumbent);
}

void pair_with_champion(TrialRecord& trial, const TrialRecord& champion, evaluators::Evaluator& evaluator,
                        const model::Variant& candidate, const std::function<model::Variant()>& incumbent,
                        double error) {
  if (needs_pairing(trial, champion))
    keep_pairing(trial, evaluator.time_paired(candidate, incumbent(), error));
}

std::vector<model::SampleSeries> samples_to_keep(const evaluators::Evaluation* evaluation,
                                                 std::vector<model::SampleSeries> compared) {
  std::vector<model::SampleSeries> all;
  if (evaluation != nullptr) all = evaluation->samples;
  std::move(compared.begin(), compared.end(), std::back_inserter(all));
  for (model::SampleSeries& one : all) one.us = model::kept_samples(one.us);
  return all;
}

std::vector<model::SampleSeries> keep_pairing(TrialRecord& trial, std::optional<evaluators::Paired> paired) {
  if (!paired) return {};
  trial.device_seconds += paired->device_seconds;
  trial.paired = std::move(paired->comparison);
  if (trial.paired) return std::move(paired->samples);
  quarantine(trial, comparison_failed,
             "it seemed to beat the champion, and could not be timed in turn with it");
  for (model::Evidence& evidence : paired->evidence) trial.evidence.push_back(std::move(evidence));
  return {};
}

std::optional<EventRecord> clock_event(const TrialRecord& trial, const std::string& device_kind) {
  if (trial.status == Status::compile_timeout) {
    return EventRecord{event_kinds::compile_timeout, trial.index, {{"reason", trial.reason}}};
  }
  if (trial.status == Status::timeout && device_kind == "cuda") {
    return EventRecord{event_kinds::device_timeout, trial.index, {{"reason", trial.reason}}};
  }
  return std::nullopt;
}

}  // namespace evo::engine
