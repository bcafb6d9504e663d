// All gates in order, behind the Evaluator port.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "evaluators/compile/compiler.hpp"
#include "evaluators/evaluator.hpp"
#include "evaluators/gates/bound_variant.hpp"
#include "evaluators/gates/device_job.hpp"
#include "evaluators/gates/device_pool.hpp"
#include "evaluators/gates/gate_times.hpp"
#include "evaluators/gates/profiler.hpp"
#include "model/experiment.hpp"

namespace evo::evaluators::gates {

/// How much correctness asks for.
enum class Rigour : std::uint8_t {
  search,    ///< what every candidate is asked
  champion,  ///< also GateSettings::champion_launches and champion_orders
};

/// A timing of a trial, or a comparison of a search, in which the GPU slowed itself down is taken again so
/// often at most, after pauses of 0.1, 0.2, 0.4 and 0.8 s, in which it does not work for it.
inline constexpr std::uint32_t most_discarded_timings = 4, first_pause_ms = 100;

/// What became of a champion's build with delays behind its barriers.
struct DelayedBuild {
  bool ran = false;
  std::string reason;  ///< why it did not run
  std::optional<model::Failure> failure;
  std::vector<model::Evidence> notes;
};

/// Thread-safe. Legality, compile and resources run in the caller's thread, sanitize on a virtual device of
/// this process, correctness and latency wherever the runner runs device jobs. A device of another
/// architecture than the target's gets code of its own; the target's artifact stays the one that resources
/// and sanitize judge.
class Ladder final : public Evaluator {
 public:
  /// `virtual_device` makes those of the sanitize gate; `known` is what the runner knows, too. The compiler
  /// and the runner must outlive the ladder. If the experiment has no input seed, one is drawn from the
  /// system here; input_seed() tells it, for the ledger. Throws model::Exception(invalid_configuration) if
  /// the accuracy class, an input set of it or a template is unknown to the problem.
  Ladder(model::Experiment experiment, compile::Compiler& compiler, JobRunner& runner,
         DeviceFactory virtual_device, oracle::Catalogue known, Rigour rigour = Rigour::search);
  Ladder(const Ladder&) = delete;
  Ladder& operator=(const Ladder&) = delete;

  [[nodiscard]] EvaluatorInfo info() const override;
  [[nodiscard]] Prepared prepare(const model::Variant& variant) override;
  [[nodiscard]] Evaluation evaluate(const Prepared& prepared) override;
  [[nodiscard]] std::optional<Paired> time_paired(const model::Variant& candidate,
                                                  const model::Variant& incumbent, double error) override;

  /// Compiles `variant` with delays of random length behind every barrier of the template's hooks
  /// (evo_delay() of kernels/common/evo_sync.cuh) and takes that build through correctness on a real device.
  /// Failures of the build itself (it may need more registers) do not count: then it did not run.
  [[nodiscard]] DelayedBuild check_delayed(const model::Variant& variant);
  /// The launches that a sanitizer watches: the sanitize shapes, then the workloads, of this ladder's
  /// experiment. `prepared` has not failed; another ladder, with other workloads, may have made it.
  [[nodiscard]] DeviceJob launches_to_watch(const Prepared& prepared) const;
  /// The launches that a profiler counts: the workloads, on the problem's first input set.
  [[nodiscard]] DeviceJob launches_to_profile(const Prepared& prepared) const;
  /// Who counts for the profile gate; without one there is no such gate. Throws
  /// model::Exception(invalid_configuration) for a bound on a counter that `profiler` cannot have.
  void use_profiler(std::shared_ptr<Profiler> profiler);

  /// Who does what the gates ask of the virtual device; at first this process. It knows what the ladder
  /// knows. Not while a variant is evaluated.
  void use_virtual_runner(std::shared_ptr<JobRunner> runner) { virtual_runner_ = std::move(runner); }

  /// Of what it looks at as a whole this ladder also asks for more elements than a float counts, where that
  /// is cheap (Extent::beyond_floats): seconds, which the baseline of each run would take. A champion's does.
  void ask_beyond_floats() { beyond_floats_ = true; }

  /// Where the time of all trials so far went. The compile gate's row has wall time only: what the compiler
  /// spends elsewhere, its owner knows.
  [[nodiscard]] std::vector<GateTime> times() const { return times_.sums(); }

  [[nodiscard]] std::uint64_t input_seed() const { return input_seed_; }
  [[nodiscard]] const model::Experiment& experiment() const { return experiment_; }

 private:
  /// A job of this run that has nothing to check yet.
  [[nodiscard]] DeviceJob timing_job(model::Artifact artifact, std::vector<model::Case> timed_cases) const;
  [[nodiscard]] bool is_baseline(const model::Variant& variant) const;
  /// Bytes that each kernel takes besides its dynamic ones: predicted, or else as compiled.
  [[nodiscard]] static std::vector<std::int64_t> static_smem_of(const BoundVariant& bound,
                                                                const Prepared& prepared);
  [[nodiscard]] DeviceJob make_job(const Prepared& prepared, BoundVariant bound) const;
  [[nodiscard]] DeviceResult run_virtual(const DeviceJob& job);
  /// The sanitize gate's job; `crossed`: with cases that are special in two ways at once.
  [[nodiscard]] DeviceJob sanitize_job(const Prepared& prepared, bool crossed) const;
  /// Of a template that is not `sync_checkable`, where a GPU runs the candidate: the virtual device runs the
  /// sanitize shapes alone. What it finds counts; paths that they do not run are told, and end no trial.
  [[nodiscard]] bool is_partly_sanitized(const Prepared& prepared) const;
  /// Of the champion, and of the baseline until it is proven, launches run whole.
  [[nodiscard]] bool asks_whole_launches(const model::Variant& variant) const;
  /// What job_between_blocks() asks of the virtual device; false: `evaluation` has its failure.
  [[nodiscard]] bool agrees_between_blocks(const Prepared& prepared, const DeviceJob& job,
                                           Evaluation& evaluation);
  /// Of a variant that has passed the gates of prepare() before; throws if it no longer does.
  [[nodiscard]] Opponent side_of(const model::Variant& variant);
  void remember_fastest(const std::vector<model::WorkloadLatency>& latencies);
  /// The profile gate of a variant that passed all others, and what was counted, whether or not it keeps the
  /// bounds; throws model::Exception(environment) where nothing can be counted.
  [[nodiscard]] model::GateResult check_profile(const Prepared& prepared,
                                                std::optional<model::CounterReading>& counters);
  /// Fails the latency gate if a latency is below the roofline of the device that made it.
  void quarantine_impossible(DeviceResult& result, const std::vector<model::Case>& timed) const;

  const model::Experiment experiment_;
  compile::Compiler& compiler_;
  JobRunner& runner_;
  DevicePool virtual_devices_;
  oracle::Catalogue known_;
  oracle::ReferenceCache between_blocks_;  ///< of run_virtual()
  std::shared_ptr<JobRunner> virtual_runner_;
  std::shared_ptr<Profiler> profiler_;
  Rigour rigour_;
  bool beyond_floats_ = false;
  std::map<std::string, TemplateContext, std::less<>> templates_;
  model::Tolerance tolerance_;
  std::vector<model::InputSet> input_sets_;  ///< the accuracy class's, then those of oracle/patterns.hpp
  std::size_t declared_sets_ = 0;
  std::vector<std::string> reduced_axes_;  ///< of the baseline's template, at its genome
  std::string device_arch_;
  std::uint64_t input_seed_;
  std::atomic<bool> baseline_proven_ = false;
  GateTimes times_;
  mutable std::mutex fastest_mutex_;
  std::map<std::string, double, std::less<>> fastest_us_;  ///< by workload, of the variants proven so far
};

/// Every gate's verdict for one variant, for `validate`, `check` and the baseline of a run.
struct GateReport {
  Prepared prepared;
  Evaluation evaluation;
  [[nodiscard]] bool valid() const;
  [[nodiscard]] std::vector<model::GateResult> gates() const;  ///< in the ladder's order
  [[nodiscard]] const model::Failure* failure() const;         ///< nullptr when valid
  [[nodiscard]] std::string failed_gate() const;               ///< "" when valid
};

/// Takes `variant` up the whole ladder, as far as it gets.
[[nodiscard]] GateReport prove(Evaluator& evaluator, const model::Variant& variant);

}  // namespace evo::evaluators::gates
