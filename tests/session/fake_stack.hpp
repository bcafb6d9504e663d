// An EvaluationStack of fakes around vector addition: what devices and compute-sanitizer say is a script.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "engine/trial.hpp"
#include "evaluators/gates/ladder.hpp"
#include "model/error.hpp"
#include "session/comparator_pairs.hpp"
#include "session/evaluation_stack.hpp"
#include "tests/support/fake_compiler.hpp"
#include "tests/support/fake_device.hpp"
#include "tests/support/vector_add_experiment.hpp"

namespace evo::session::testing {

/// A job that a runner was given.
struct SeenJob {
  bool fresh = false;  ///< by a runner in a process of its own
  evaluators::gates::DeviceJob job;
  /// The build with delays behind barriers.
  [[nodiscard]] bool delayed() const { return job.artifact.ptx.find("nanosleep") != std::string::npos; }
};

/// What everybody says; shared with the parts.
struct Script {
  std::string kind = "cuda";
  /// The correctness gate's verdict; nullopt: correct.
  std::function<std::optional<model::Failure>(const SeenJob&)> verdict = [](const SeenJob&) {
    return std::nullopt;
  };
  std::function<double(const evaluators::gates::DeviceJob&)> microseconds =
      [](const evaluators::gates::DeviceJob&) { return 10.0; };
  /// What times a champion against other libraries; unset: nobody can.
  std::function<std::vector<TimedPairs>(const ComparatorJob&)> comparators;
  double paired_ratio = 1;  ///< of every comparison in turn
  /// The same with a cold L2; unset: no other. A text is why those fail.
  std::optional<double> cold_ratio{};
  std::string cold_failure{};
  bool cold_breaks = false;  ///< the environment does, for that reason
  /// Why clocks are held down while the n-th comparison of a fresh worker runs; unset: nobody looks.
  std::function<std::string(std::size_t)> throttle;
  bool tells_throttle = true;  ///< false: the device does not say why
  /// Of a run on a farm's GPUs: what this machine's virtual device says of a champion; unset: nobody is asked
  /// here.
  std::shared_ptr<Script> here{};
  std::vector<model::Evidence> notes;
  evaluators::sanitizer::Report watched;
  std::vector<std::chrono::milliseconds> watches;
  std::vector<SeenJob> jobs;
  std::size_t fresh_comparisons = 0;  ///< that have ended
  std::mutex mutex;
};

class ScriptedRunner final : public evaluators::gates::JobRunner {
 public:
  ScriptedRunner(std::shared_ptr<Script> script, bool fresh) : script_(std::move(script)), fresh_(fresh) {}
  [[nodiscard]] evaluators::gates::DeviceResult run(const evaluators::gates::DeviceJob& job) override {
    const std::scoped_lock lock(script_->mutex);
    script_->jobs.push_back({fresh_, job});
    evaluators::gates::DeviceResult result;
    if (job.opponent) {
      if (fresh_) ++script_->fresh_comparisons;
      result.gates.push_back({model::Gate::latency, std::nullopt, 1});
      const bool cold = job.settings.cold();
      if (cold && script_->cold_breaks)
        throw model::Exception(model::ExitCode::environment, script_->cold_failure);
      if (cold && !script_->cold_failure.empty()) {
        result.gates.back().failure =
            model::Failure{model::Status::launch_error, "no", {{"no", script_->cold_failure, {}, 0, {}}}};
        return result;
      }
      const double ratio = cold ? script_->cold_ratio.value_or(script_->paired_ratio) : script_->paired_ratio;
      for (const model::Case& timed : job.timed_cases) {
        const auto rounds = static_cast<std::size_t>(job.settings.paired_rounds);
        result.paired.push_back(
            {timed.name, 1, std::vector<double>(rounds, 10 * ratio), std::vector<double>(rounds, 10.0)});
      }
      return result;
    }
    result.gates.push_back({model::Gate::correctness, script_->verdict(script_->jobs.back()), 1});
    result.notes = script_->notes;
    if (result.gates.back().failure || job.timed_cases.empty()) return result;
    result.gates.push_back({model::Gate::latency, std::nullopt, 1});
    for (const model::Case& timed : job.timed_cases) {
      model::Latency latency;
      latency.microseconds = script_->microseconds(job);
      latency.samples = 10;
      latency.kind = script_->kind == "virtual" ? model::LatencyKind::modelled : model::LatencyKind::measured;
      result.latencies.push_back({timed.name, 1, latency});
    }
    return result;
  }
  [[nodiscard]] evaluators::devices::DeviceInfo info() const override {
    return {script_->kind, "a script", "sm_89", "1", "uuid"};
  }

 private:
  std::shared_ptr<Script> script_;
  bool fresh_;
};

inline StackParts scripted_parts(const std::shared_ptr<Script>& script) {
  StackParts parts;
  parts.device = script->kind == "virtual" ? "virtual" : "cuda:0";
  parts.compiler = std::make_shared<tests::FakeCompiler>(
      [](const tests::FakeCompiler::Request& request) -> tests::FakeCompiler::Result {
        model::Artifact artifact = tests::FakeCompiler::plain(request);
        artifact.resources = {.registers = 32, .static_smem_bytes = 256};
        if (const auto at = request.source.find("#define THREADS "); at != std::string::npos)
          artifact.resources.static_smem_bytes = 4 * std::atoi(request.source.c_str() + at + 16);
        // What evo_delay() of evo_sync.cuh compiles to.
        if (request.source.find("#define EVO_DELAYS") != std::string::npos)
          artifact.ptx += "\nnanosleep.u32 %r1;\n";
        return artifact;
      });
  parts.runner = [script] { return std::make_unique<ScriptedRunner>(script, false); };
  parts.fresh_runner = [script] { return std::make_unique<ScriptedRunner>(script, true); };
  if (script->here)
    parts.prover_here = [here = script->here] { return std::make_unique<ScriptedRunner>(here, true); };
  tests::FakeDeviceSettings settings;
  settings.info = {"virtual", "PTX machine", "", "", ""};
  settings.kernel = tests::correct_kernel();
  parts.gpu_look = [script](const std::string&) -> GpuWatch::Look {
    if (!script->throttle) return {};
    return [script]() -> std::optional<GpuReading> {
      const std::scoped_lock lock(script->mutex);
      GpuReading reading;
      reading.throttle = script->throttle(script->fresh_comparisons);
      reading.tells_throttle = script->tells_throttle;
      return reading;
    };
  };
  parts.virtual_device = [settings] { return std::make_unique<tests::FakeDevice>(settings); };
  if (script->comparators) {
    parts.comparators = [script](const ComparatorJob& job, const std::stop_token&) {
      return script->comparators(job);
    };
  }
  parts.watch = [script](const evaluators::gates::DeviceJob&, std::chrono::milliseconds longest,
                         const std::stop_token&) {
    script->watches.push_back(longest);
    return script->watched;
  };
  return parts;
}

/// An experiment whose genes change nothing but the number of threads, and its parts.
struct FakeRun {
  std::shared_ptr<Script> script = std::make_shared<Script>();
  model::Experiment experiment = tests::vector_add_experiment();
  std::uint64_t input_seed = 99;

  EvaluationStack& stack() {
    if (!stack_) stack_ = std::make_unique<EvaluationStack>(experiment, scripted_parts(script), input_seed);
    return *stack_;
  }
  /// A trial that was proven correct, of `threads` threads.
  [[nodiscard]] engine::TrialRecord trial(std::int64_t index, double microseconds,
                                          std::int64_t threads = 64) const {
    const model::Variant variant = tests::vector_add_variant(experiment, threads);
    engine::TrialRecord record;
    record.index = index;
    record.variant = variant.id;
    record.template_name = variant.template_name;
    record.genome = variant.genome;
    record.status = index == 0 ? model::Status::proven : model::Status::better;
    model::Latency latency;
    latency.microseconds = microseconds;
    record.latencies = {{"small", 1, latency}};
    return record;
  }

 private:
  std::unique_ptr<EvaluationStack> stack_;
};

inline model::Failure failure_of(model::Status status, const std::string& reason) {
  return {status, reason, {{reason, "by the script", {}, 0, {}}}};
}

}  // namespace evo::session::testing
