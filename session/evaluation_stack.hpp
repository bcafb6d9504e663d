// The parts of an evaluation put together: compiler, cache, device, sanitizer, ladder. Real ones for a
// device, or those that a test hands in.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "evaluators/evaluator.hpp"
#include "evaluators/gates/device_pool.hpp"
#include "evaluators/gates/gate_times.hpp"
#include "evaluators/latency_model.hpp"
#include "evaluators/oracle/catalogue.hpp"
#include "evaluators/sanitizer/compute_sanitizer.hpp"
#include "model/artifact.hpp"
#include "model/experiment.hpp"
#include "model/verdict.hpp"
#include "session/device_choice.hpp"
#include "session/gpu_state.hpp"

namespace evo::evaluators::compile {
class Compiler;
struct CompileRequest;
}  // namespace evo::evaluators::compile
namespace evo::evaluators::gates {
class JobRunner;
class Ladder;
class Profiler;
}  // namespace evo::evaluators::gates

namespace evo::session {

struct ComparatorJob;
struct TimedPairs;

/// Takes a line for a person, without its end.
using Tell = std::function<void(const std::string&)>;

struct StackOptions {
  int threads = 1;
  std::uint64_t input_seed = 0;
  Tell log;  ///< what workers and the cache say; may be empty
  /// What everybody should know: GPUs that are left out, and who else uses one; may be empty.
  Tell notes{};
  std::string run_folder{};  ///< of a run: what others are told of who uses the GPU
};

/// A compile by somebody else; nullopt: he does not do it.
struct CompileElsewhere {
  using Result = tl::expected<model::Artifact, model::Failure>;
  std::function<std::optional<Result>(const evaluators::compile::CompileRequest&)> ask{};
  /// Told what this machine compiled in its place. May be empty.
  std::function<void(const evaluators::compile::CompileRequest&, const Result&)> made_here{};
};

/// What a stack is made of. None may be empty but `compile_time`, and what says so.
struct StackParts {
  std::string device;  ///< DeviceChoice::id
  std::shared_ptr<evaluators::compile::Compiler> compiler;
  /// CPU seconds and seconds of waiting of the compiler so far: {cpu, waiting}.
  std::function<std::pair<double, double>()> compile_time;
  std::function<std::unique_ptr<evaluators::gates::JobRunner>()> runner;
  /// One in a process that has run nothing yet (virtual: with nothing remembered).
  std::function<std::unique_ptr<evaluators::gates::JobRunner>()> fresh_runner;
  /// Who proves a champion in this process before fresh_runner does, where that is another machine's. Empty:
  /// nobody.
  std::function<std::unique_ptr<evaluators::gates::JobRunner>()> prover_here{};
  /// Who does what the gates ask of the virtual device (Ladder::use_virtual_runner). Empty: this process.
  std::function<std::shared_ptr<evaluators::gates::JobRunner>()> virtual_runner{};
  /// Has another one compile first what `compiler` is asked for; nothing: nobody. Empty: it cannot be told
  /// so.
  std::function<void(CompileElsewhere)> compile_elsewhere{};
  /// `compiler` without that other one. May be empty where compile_elsewhere is.
  std::shared_ptr<evaluators::compile::Compiler> own_compiler{};
  /// Called before a champion is proven: from here on no other host has a say. May be empty.
  std::function<void()> search_is_over{};
  evaluators::gates::DeviceFactory virtual_device;
  /// What runners and ladder know of problems. Shared, since runners are made when they are needed.
  std::shared_ptr<evaluators::oracle::Catalogue> known = std::make_shared<evaluators::oracle::Catalogue>();
  /// Has a tool watch the launches of a job, for at most that long.
  std::function<evaluators::sanitizer::Report(const evaluators::gates::DeviceJob&, std::chrono::milliseconds,
                                              const std::stop_token&)>
      watch;
  /// Who counts for the profile gate of an experiment with bounds on counters. Empty: nobody can.
  std::function<std::shared_ptr<evaluators::gates::Profiler>(const model::Experiment&)> profiler{};
  /// Who screens candidates for an experiment with search.screen. Empty: the virtual device's model, of the
  /// GPU that runs them where its figures are known, else of the target.
  std::function<std::unique_ptr<evaluators::LatencyModel>(const evaluators::gates::Ladder&)> latency_model{};
  /// Looks at the GPU of that UUID while it is timed on; what it gives may be empty. Empty: nobody looks.
  std::function<GpuWatch::Look(const std::string& uuid)> gpu_look{};
  /// Times a champion against other libraries (session/comparator_pairs.hpp). Empty: nobody can here.
  std::function<std::vector<TimedPairs>(const ComparatorJob&, const std::stop_token&)> comparators{};
};

/// The real parts for `device`: NVRTC in processes of its own, the artifact cache, workers on a GPU or the
/// virtual device, compute-sanitizer. Throws model::Exception(environment) when NVRTC or the device is
/// missing.
[[nodiscard]] StackParts real_parts(const model::TargetProfile& target, const DeviceChoice& device,
                                    const StackOptions& options);

/// Owns an evaluator and what it stands on.
class EvaluationStack {
 public:
  /// Of real_parts(); throws as those do.
  EvaluationStack(const model::Experiment& experiment, const DeviceChoice& device,
                  const StackOptions& options);
  EvaluationStack(const model::Experiment& experiment, StackParts parts, std::uint64_t input_seed);
  ~EvaluationStack();
  EvaluationStack(const EvaluationStack&) = delete;
  EvaluationStack& operator=(const EvaluationStack&) = delete;

  [[nodiscard]] evaluators::gates::Ladder& ladder() { return *ladder_; }
  [[nodiscard]] evaluators::compile::Compiler& compiler() { return *parts_.compiler; }
  [[nodiscard]] evaluators::gates::JobRunner& runner() { return *runner_; }
  /// Where the time of this session went, gate by gate; see Ladder::times().
  [[nodiscard]] std::vector<evaluators::gates::GateTime> times() const;
  /// From here on everything happens in this process: a champion is to be proven.
  void end_search();
  /// Another one on the same device; see StackParts.
  [[nodiscard]] std::unique_ptr<evaluators::gates::JobRunner> fresh_runner() const;
  /// See StackParts; nullptr where nobody does.
  [[nodiscard]] std::unique_ptr<evaluators::gates::JobRunner> prover_here() const;
  [[nodiscard]] const evaluators::gates::DeviceFactory& virtual_device() const {
    return parts_.virtual_device;
  }
  [[nodiscard]] evaluators::sanitizer::Report watch(const evaluators::gates::DeviceJob& job,
                                                    std::chrono::milliseconds longest,
                                                    const std::stop_token& stop) const {
    return parts_.watch(job, longest, stop);
  }
  [[nodiscard]] const evaluators::oracle::Catalogue& known() const { return *parts_.known; }
  /// nullptr where the experiment screens nothing.
  [[nodiscard]] evaluators::LatencyModel* latency_model() const { return latency_model_.get(); }
  /// See StackParts; empty where nobody looks.
  [[nodiscard]] GpuWatch::Look gpu_look(const std::string& uuid) const {
    return parts_.gpu_look ? parts_.gpu_look(uuid) : GpuWatch::Look();
  }
  /// See StackParts; empty where nobody can.
  [[nodiscard]] const auto& comparators() const { return parts_.comparators; }
  /// DeviceChoice::id: "virtual", or that of GPUs.
  [[nodiscard]] const std::string& device() const { return parts_.device; }

 private:
  StackParts parts_;
  std::unique_ptr<evaluators::gates::JobRunner> runner_;
  std::unique_ptr<evaluators::gates::Ladder> ladder_;
  std::unique_ptr<evaluators::LatencyModel> latency_model_;  // of variants that the ladder prepares
};

}  // namespace evo::session
