// Records: what the ledger keeps. Plain values.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/artifact.hpp"
#include "model/insight.hpp"
#include "model/measurement.hpp"
#include "model/space.hpp"
#include "model/verdict.hpp"

namespace evo::engine {

/// A gate that a trial climbed. The failed one's reason and evidence stand in the trial.
struct GateRecord {
  model::Gate gate = model::Gate::legality;
  bool pass = true;
  double milliseconds = 0;
};

/// Who did the device's part of a trial, where that was a farm's worker. In no lineage.
struct WorkRecord {
  std::string worker;  ///< "HOST-PID"; empty: this machine
  std::string device;  ///< "virtual", "NVIDIA H200"
  /// What the farm's workers took for what they did since the trial before was committed, and the rest of
  /// this one's device time at Budget::hourly_price; nullopt: no worker has said a price yet.
  std::optional<double> cost{};
  bool operator==(const WorkRecord&) const = default;
};

/// A committed trial: the proposal, and how it ended.
struct TrialRecord {
  std::int64_t index = 0;  ///< proposal order, from 0 (the baseline)
  int generation = 0;
  int slot = 0;
  std::string variant;  ///< variant id
  std::string template_name;
  model::Genome genome;
  std::vector<std::string> parents;  ///< variant ids
  std::string operator_name;
  std::string rationale;
  std::optional<double> predicted_effect;  ///< of the logarithm of latency against the first parent

  model::Status status = model::Status::wrong;
  std::optional<model::Gate> gate;  ///< where a failed trial ended; nullopt for a correct one and a duplicate
  std::string reason;               ///< reason code; empty for a correct one
  std::vector<model::Evidence> evidence;
  std::vector<GateRecord> gates;
  /// Of a correct variant, and of a duplicate whose original is correct (then reused, not obtained again).
  std::vector<model::WorkloadLatency> latencies;
  /// Of a measured variant that seemed to beat the champion of that moment: what timing both in turn gave.
  std::optional<model::PairedComparison> paired;
  /// What was unusual when its own latencies were measured; nullopt: modelled, or of an older evo.
  std::optional<model::TimingNotes> timing{};
  /// hash_of() the raw samples of both, which stand apart (Ledger::samples()); empty: there are none.
  std::string samples_hash{};
  std::optional<model::ResourceUsage> resources;  ///< when it compiled
  std::string code_identity;         ///< evaluators::Prepared::code_identity; empty if not compiled
  std::string duplicate_of;          ///< variant id of the original of a duplicate
  std::string source_hash;           ///< SHA-256 of the rendered source
  double device_seconds = 0;         ///< clock time; in no lineage
  double elapsed_seconds = 0;        ///< run's wall time at the commit, over all sessions; in no lineage
  std::optional<WorkRecord> work{};  ///< on a farm

  /// True for a variant that passed every correctness gate itself (not a duplicate).
  [[nodiscard]] bool correct() const { return model::is_proven_correct(status); }
  /// Over workloads; nullopt when there is none.
  [[nodiscard]] std::optional<model::Latency> latency() const;
};

/// A generation, written with its last trial (or at the end of the run if it is cut short).
struct GenerationRecord {
  int generation = 0;
  std::int64_t trials = 0;            ///< committed in this generation
  std::string best_variant;           ///< champion so far
  double best_us = 0;                 ///< its latency
  double diversity = 0;               ///< mean pairwise share of differing genes, 0..1, in this generation
  double device_seconds = 0;          ///< since the start of the run
  double cost = 0;                    ///< since the start of the run
  std::map<std::string, int> counts;  ///< status name -> trials of this generation
};

/// What a clock or a person decided. Replay and resume obey it.
struct EventRecord {
  std::string kind;        ///< see event_kinds below
  std::int64_t trial = 0;  ///< the trial it concerns, or how many were committed when it happened
  std::map<std::string, std::string> details;
};

namespace event_kinds {
inline constexpr const char* budget_stop =
    "budget_stop";  ///< trial = trials kept; details: budget, limit, used
inline constexpr const char* compile_timeout =
    "compile_timeout";  ///< trial = its index; its verdict is taken as it is
inline constexpr const char* device_timeout = "device_timeout";  ///< likewise, for a real device's watchdog
inline constexpr const char* interrupted = "interrupted";
inline constexpr const char* resumed = "resumed";
/// After the last trial; trial = the variant's index; details: variant, gate, reason.
inline constexpr const char* champion_refused = "champion_refused";
/// Likewise; details: variant, and what was done to prove it. The champion of the run from here on.
inline constexpr const char* champion_proven = "champion_proven";
inline constexpr const char* finished = "finished";  ///< details: status, lineage_sha256
}  // namespace event_kinds

/// What a run was made with; resume compares it.
struct RunMeta {
  std::string experiment_yaml;
  std::string experiment_hash;  ///< SHA-256 of experiment_yaml
  std::string problem_hash;
  std::string toolchain;
  std::string device_kind;
  std::string device_name;
  std::string driver;
  model::LatencyKind latency_kind = model::LatencyKind::modelled;
  std::uint64_t input_seed = 0;
  std::uint64_t seed = 0;
  std::string evo_version;
};

}  // namespace evo::engine
