// Port between the engine and the ladder. The engine decides what to try and in which order results count;
// an evaluator proves and times. Real: gates/ladder. Fake: tests/support.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/artifact.hpp"
#include "model/counters.hpp"
#include "model/measurement.hpp"
#include "model/variant.hpp"
#include "model/verdict.hpp"

namespace evo::evaluators::gates {
struct BoundVariant;
}

namespace evo::evaluators {

/// A variant after legality, compile and resources.
struct Prepared {
  model::Variant variant;
  std::vector<model::GateResult> gates;            ///< in order; at most the last one failed
  std::optional<model::Artifact> artifact;         ///< for the target's architecture
  std::optional<model::Artifact> device_artifact;  ///< for the device's, if it is another
  /// Two variants with the same identity are the same to a device: code hash + launch plans + entry.
  std::string code_identity;
  /// Its launches, resolved by the evaluator that prepared it: nobody else looks into it.
  std::shared_ptr<const gates::BoundVariant> bound{};
  [[nodiscard]] bool failed() const { return !gates.empty() && !gates.back().pass(); }
};

/// The rest of the ladder: sanitize, correctness, latency.
struct Evaluation {
  std::vector<model::GateResult> gates;           ///< sanitize onwards; at most the last one failed
  std::vector<model::WorkloadLatency> latencies;  ///< empty unless every gate passed
  double device_seconds = 0;
  std::vector<model::Evidence> notes{};  ///< what the gates saw and no gate objects to, e.g. "dynamic_smem"
  /// Of a farm, who did the device's part, and on what; empty: this machine.
  std::string worker{}, worker_device{};
  bool priced = false;  ///< that worker says what it costs, so that device_seconds are no cost
  /// Of measured latencies: what was unusual, and the raw samples.
  std::optional<model::TimingNotes> timing{};
  std::vector<model::SampleSeries> samples{};
  /// What the profile gate counted, of a variant that has passed it; nullopt: nothing bounds counters.
  std::optional<model::CounterReading> counters{};
};

/// What came of timing two proven variants in turn.
struct Paired {
  std::optional<model::PairedComparison> comparison;  ///< nullopt: it failed
  std::vector<model::Evidence> evidence{};            ///< why it failed
  double device_seconds = 0;
  std::vector<model::SampleSeries> samples{};  ///< of the comparison, a series a workload and side
};

/// Which device a run uses, for reports and the resume check.
struct EvaluatorInfo {
  std::string device_kind;  ///< virtual, cuda, recorded
  std::string device_name;
  std::string driver;
  std::string toolchain;  ///< compiler version
  model::LatencyKind latency_kind = model::LatencyKind::modelled;
  std::string latency_model{};  ///< what modelled latencies' `method` ends with; empty: nobody knows
};

class Evaluator {
 public:
  virtual ~Evaluator() = default;
  [[nodiscard]] virtual EvaluatorInfo info() const = 0;
  /// Thread-safe; may run ahead of evaluate() for other variants.
  [[nodiscard]] virtual Prepared prepare(const model::Variant& variant) = 0;
  /// Thread-safe; `prepared` has not failed.
  [[nodiscard]] virtual Evaluation evaluate(const Prepared& prepared) = 0;
  /// Times two variants in turn that evaluate() has found correct. Thread-safe. nullopt where latencies are
  /// exact numbers (modelled, recorded), so that there is nothing to repeat. `error`: the chance with which
  /// the interval may lie below 1 where the candidate is not faster, looks before the end included. 0:
  /// nothing is decided on the way, all of gates.paired_rounds are timed and no more.
  [[nodiscard]] virtual std::optional<Paired> time_paired(const model::Variant& candidate,
                                                          const model::Variant& incumbent, double error) = 0;
};

}  // namespace evo::evaluators
