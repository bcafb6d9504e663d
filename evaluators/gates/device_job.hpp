// The part of a trial that runs next to a device: an idempotent job and its answer. Plain data, so that the
// same job runs in this process (virtual device) or in a worker (`evo worker --stdio`).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "evaluators/devices/device.hpp"
#include "evaluators/gates/drawn_shapes.hpp"
#include "evaluators/gates/gate_times.hpp"
#include "evaluators/oracle/reference_cache.hpp"
#include "model/experiment.hpp"
#include "model/variant.hpp"
#include "model/verdict.hpp"

namespace evo::evaluators::gates {

/// Another variant that was proven correct, to be timed against.
struct Opponent {
  model::Artifact artifact;
  std::vector<model::Case> timed_cases;  ///< the job's timed cases under its launch plans, in their order
  /// With which the two may come out apart although the candidate is not faster: ends the job once its looks
  /// have decided. 0: all rounds are timed.
  double error = 0;
};

/// What the sanitize gate is asked besides the job's artifact, cases, input sets and settings (sanitize.hpp).
struct SanitizeAsked {
  std::map<std::string, std::string> unreached;  ///< Template::unreached
};

/// Medians of a case in each round, in microseconds.
struct PairedSeries {
  std::string workload;
  double weight = 1;
  std::vector<double> candidate_us, opponent_us;
};

struct DeviceJob {
  model::Artifact artifact;
  std::string oracle;
  /// What the oracle is made of, where it is the problem's own (evaluators/reference).
  std::optional<model::OracleParts> reference{};
  std::vector<model::InputSet> input_sets;
  model::Tolerance tolerance;
  std::vector<model::Case> cases;  ///< the correctness gate's: experiment workloads and odd shapes
  /// This many of `cases` are the experiment's workloads.
  std::size_t workload_count = 1;
  /// What each of `cases` is for; where it ends, the rest are odd shapes. Which sets each sees:
  /// check_plan.hpp.
  std::vector<CaseUse> uses{};
  /// This many of `input_sets` are the problem's own; 0: all. The rest are those of oracle/patterns.hpp.
  std::size_t declared_sets = 0;
  /// Axes that outputs sum over, in a manner (grown_bounds.hpp).
  std::vector<std::string> reduced_axes{};
  /// The artifact adds up in tensor cores (adds_in_tensor_cores()).
  bool tensor_core_sums = false;
  /// False: on the virtual device large launches run a sample of their blocks (block_sample.hpp).
  bool whole_launches = true;
  /// Problem::equal_writes.
  std::string equal_writes{};
  std::vector<model::Case> timed_cases;  ///< the latency gate's; empty = do not time
  /// Medians of the fastest variants proven so far, one a timed case (0 or absent = unknown): what is far
  /// behind gets fewer samples.
  std::vector<double> fastest_us;
  std::uint64_t input_seed = 0;  ///< entropy of the run
  /// A champion's: bit-equal launches under changed surroundings (perturbation.hpp), after the repetitions.
  /// On the virtual device, which has none, only its permuted orders count (settings.permuted_runs).
  int perturbed_launches = 0;
  /// If set, both are only timed in turn, on the same buffers, by paired.hpp: there is no correctness gate,
  /// and the latency gate fails where what they wrote is not correct.
  std::optional<Opponent> opponent{};
  /// If set, the job is the sanitize gate's, for a virtual device, and there is no other gate: the first
  /// `workload_count` cases are its shapes, which may be none, and the first input set is the one that they
  /// see.
  std::optional<SanitizeAsked> sanitize{};
  /// A timing, or a comparison with an opponent, in which the device slowed itself down is thrown away and
  /// taken again, so often at most; each time after a pause without a turn, twice as long as the one before.
  std::uint32_t most_discarded = 0;
  std::uint32_t pause_ms = 0;  ///< the first one
  model::GateSettings settings;
};

[[nodiscard]] CaseUse use_of(const DeviceJob& job, std::size_t case_index);
/// The largest value of the axis in the cases that do not show one alone.
[[nodiscard]] std::int64_t largest_of(const DeviceJob& job, const std::string& axis);
/// A shape that nobody asked for and that may cost much: stretched, alone, or crossed and not small.
[[nodiscard]] bool is_stretched(const DeviceJob& job, std::size_t case_index);

struct DeviceResult {
  std::vector<model::GateResult> gates;  ///< correctness, then latency if timed
  std::vector<model::WorkloadLatency> latencies;
  double device_seconds = 0;  ///< of turns on the device, or of the whole job
  std::vector<GateTime> times;
  std::vector<model::Evidence> notes{};  ///< what was seen and no gate objects to
  std::vector<PairedSeries> paired{};    ///< one a timed case, of a job with an opponent
  /// Of the latencies, where they are measured: those that are kept.
  std::vector<model::SampleSeries> samples{};
  model::HeldClocks clocks{};   ///< of what was timed, with or without an opponent
  bool blocks_share = false;    ///< SanitizeReport::blocks_share, of a job of that gate
  std::string worker{};         ///< of a farm, who did the job; empty: this process. In no message
  std::string worker_device{};  ///< what it did the job on. In no message
  bool priced = false;          ///< that worker says what it costs. In no message
};

/// Runs the job on `device`; candidates' failures are results. Throws only for a broken environment or a job
/// that could prove nothing (no case, no input set, an unknown oracle). A process that runs many jobs keeps
/// one cache, so that inputs and references are made once; it may be shared between threads. Of a correctness
/// gate no check is begun behind `until`; what was left out is a note of kind time_was_up_kind.
[[nodiscard]] DeviceResult run_device_job(
    devices::Device& device, const DeviceJob& job, oracle::ReferenceCache& cache,
    std::optional<std::chrono::steady_clock::time_point> until = std::nullopt);
inline constexpr std::string_view time_was_up_kind = "time_was_up";
/// As above, with a cache for this job alone.
[[nodiscard]] DeviceResult run_device_job(devices::Device& device, const DeviceJob& job,
                                          const oracle::Catalogue& known);

/// Has the job judged by the oracle of that name, and gives it what another process needs to compute the
/// same.
void name_oracle(DeviceJob& job, const std::string& name, const oracle::Catalogue& known);

/// JSON with the cubin in base64; from_json throws std::runtime_error on malformed input.
[[nodiscard]] std::string to_json(const DeviceJob& job);
[[nodiscard]] DeviceJob device_job_from_json(const std::string& text);
[[nodiscard]] std::string to_json(const DeviceResult& result);
[[nodiscard]] DeviceResult device_result_from_json(const std::string& text);

/// Port: where jobs are run. Real: InProcessRunner (virtual), worker::DeviceWorkerPool (cuda). Fake:
/// tests/support.
class JobRunner {
 public:
  virtual ~JobRunner() = default;
  /// Thread-safe; blocks until a device is free and the job is done.
  [[nodiscard]] virtual DeviceResult run(const DeviceJob& job) = 0;
  [[nodiscard]] virtual devices::DeviceInfo info() const = 0;
};

}  // namespace evo::evaluators::gates
