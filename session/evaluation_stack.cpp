#include "session/evaluation_stack.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "evaluators/devices/virtual/virtual_device.hpp"
#include "evaluators/gates/in_process_runner.hpp"
#include "evaluators/gates/ladder.hpp"
#include "evaluators/process/child.hpp"
#include "evaluators/reference/add_reference.hpp"
#include "evaluators/worker/pool.hpp"
#include "model/error.hpp"
#include "packs/builtin.hpp"
#include "session/compilers.hpp"

namespace evo::session {
namespace {

using namespace evaluators;

std::unique_ptr<gates::JobRunner> make_workers(const std::string& device, std::size_t workers, bool spare,
                                               const Tell& log) {
  worker::DeviceWorkerPoolOptions pool;
  pool.commands.assign(workers, worker::worker_command(device));
  pool.spare = spare;
  pool.log = log;
  return std::make_unique<worker::DeviceWorkerPool>(std::move(pool));
}

model::Experiment with_seed(model::Experiment experiment, std::uint64_t input_seed) {
  experiment.input_seed = input_seed;
  return experiment;
}

}  // namespace

StackParts real_parts(const model::TargetProfile& target, const DeviceChoice& device,
                      const StackOptions& options) {
  const MeteredCompiler compiler = metered_compiler(static_cast<unsigned>(options.threads));
  if (options.log && !compiler.cache_problem.empty())
    options.log("artifact cache: " + compiler.cache_problem);

  StackParts parts;
  parts.device = device.spelling;
  parts.compiler = compiler.compiler;
  parts.compile_time = compiler.time;
  *parts.known = packs::catalogue_of(packs::builtin());
  parts.virtual_device = [target] { return std::make_unique<devices::VirtualDevice>(target); };
  if (device.spelling == "virtual") {
    parts.runner = [make = parts.virtual_device, known = parts.known] {
      return std::make_unique<gates::InProcessRunner>(make, *known);
    };
    parts.fresh_runner = parts.runner;
  } else {
    // A trial of experiments/s512_h200.yaml took a worker three times as long as it held the GPU, which
    // waited for three workers; a small host has no cores for more than one.
    const auto workers = static_cast<std::size_t>(std::clamp(options.threads / 4, 1, 4));
    const worker::DeviceWorkerPoolOptions usual;
    parts.runner = [name = device.spelling, workers, spare = usual.spare, log = options.log] {
      return make_workers(name, workers, spare, log);
    };
    parts.fresh_runner = [name = device.spelling, log = options.log] {
      return make_workers(name, 1, false, log);
    };
  }
  parts.watch = [name = device.spelling](const gates::DeviceJob& job, std::chrono::milliseconds longest,
                                         const std::stop_token& stop) {
    return sanitizer::run_compute_sanitizer(
        job, {{process::self_path(), "launch-job", "--device", name}, longest, stop});
  };
  return parts;
}

namespace {

/// A problem's own reference is compiled before anything else: without it nothing can be judged.
StackParts with_reference(StackParts parts, const model::Experiment& experiment) {
  if (parts.device != "virtual" &&
      std::ranges::count(model::oracle_kinds(experiment.problem), model::OracleKind::command) > 0) {
    throw model::Exception(
        model::ExitCode::invalid_configuration,
        fmt::format("problem {}: its oracle is a command, and a worker on {} may start no program: take "
                    "--device virtual, or record the answers and name them under oracle: files",
                    experiment.problem.name, parts.device));
  }
  reference::add_reference(*parts.known, experiment, *parts.compiler);
  return parts;
}

}  // namespace

EvaluationStack::EvaluationStack(const model::Experiment& experiment, const DeviceChoice& device,
                                 const StackOptions& options)
    : EvaluationStack(experiment, real_parts(experiment.target, device, options), options.input_seed) {}

EvaluationStack::EvaluationStack(const model::Experiment& experiment, StackParts parts,
                                 std::uint64_t input_seed)
    : parts_(with_reference(std::move(parts), experiment)),
      runner_(parts_.runner()),
      ladder_(std::make_unique<gates::Ladder>(with_seed(experiment, input_seed), *parts_.compiler, *runner_,
                                              parts_.virtual_device, *parts_.known)) {}

EvaluationStack::~EvaluationStack() = default;

std::vector<gates::GateTime> EvaluationStack::times() const {
  auto times = ladder_->times();
  if (!parts_.compile_time) return times;
  const auto [cpu, waiting] = parts_.compile_time();
  for (gates::GateTime& time : times) {
    if (time.gate != model::Gate::compile) continue;
    time.cpu += cpu;
    time.waiting = waiting;
    time.wall = std::max(0.0, time.wall - waiting);
  }
  return times;
}

std::unique_ptr<gates::JobRunner> EvaluationStack::fresh_runner() const {
  return parts_.fresh_runner();
}

}  // namespace evo::session
