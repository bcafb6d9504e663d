#include "session/evaluation_stack.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "evaluators/compile/host_code_compiler.hpp"
#include "evaluators/devices/cuda/cuda_device.hpp"
#include "evaluators/devices/cuda/nvml.hpp"
#include "evaluators/devices/cuda/strangers.hpp"
#include "evaluators/devices/virtual/virtual_device.hpp"
#include "evaluators/gates/in_process_runner.hpp"
#include "evaluators/gates/ladder.hpp"
#include "evaluators/gates/roofline.hpp"
#include "evaluators/process/child.hpp"
#include "evaluators/reference/add_reference.hpp"
#include "model/error.hpp"
#include "packs/builtin.hpp"
#include "session/comparator_pairs.hpp"
#include "session/compilers.hpp"
#include "session/gpu_look.hpp"
#include "session/gpu_use.hpp"
#include "session/gpu_workers.hpp"
#include "session/modelled_latency.hpp"
#include "session/profile.hpp"

namespace evo::session {
namespace {

using namespace evaluators;

/// This process's entries among the users of its GPUs; tells whom it shares them with.
std::shared_ptr<void> register_use(const DeviceChoice& device, const StackOptions& options) {
  auto uses = std::make_shared<std::vector<std::unique_ptr<GpuUse>>>();
  const GpuUser own = this_process(options.run_folder);
  const auto nvml = options.notes ? cuda::Nvml::open() : nullptr;
  for (const auto& entry : cuda::list_cuda_devices().devices) {
    const std::string name = fmt::format("cuda:{}", entry.ordinal);
    if (std::ranges::find(device.gpus, name) == device.gpus.end()) continue;
    uses->push_back(std::make_unique<GpuUse>(users_folder(entry.info.uuid), own));
    for (const GpuUser& other : uses->back()->others()) {
      if (options.notes && other.process != own.process)
        options.notes(fmt::format("{} is in use by {}: both take turns on it, and wait for each other", name,
                                  text_of(other)));
    }
    if (nvml == nullptr) continue;
    // Workers of another evo take turns and are no strangers. This one has none yet.
    const bool alone = uses->back()->others().empty();
    cuda::Strangers others([&] { return nvml->computing_ids(entry.info.uuid); });
    std::optional<unsigned> beside = alone ? others.before_own() : others.count();
    if (alone && !beside) beside = nvml->computing_processes(entry.info.uuid);
    const std::string strangers = strangers_text(name, beside);
    if (!strangers.empty()) options.notes(strangers);
  }
  return uses;
}

model::Experiment with_seed(model::Experiment experiment, std::uint64_t input_seed) {
  experiment.input_seed = input_seed;
  return experiment;
}

}  // namespace

StackParts real_parts(const model::TargetProfile& target, const DeviceChoice& device,
                      const StackOptions& options) {
  const MeteredCompiler compiler =
      metered_compiler(static_cast<unsigned>(options.threads), !device.gpus.empty());
  if (options.log && !compiler.cache_problem.empty())
    options.log("artifact cache: " + compiler.cache_problem);

  StackParts parts;
  parts.device = device.id;
  parts.compiler = compiler.compiler;
  parts.compile_time = compiler.time;
  parts.compile_elsewhere = compiler.elsewhere;
  parts.own_compiler = compiler.own;
  *parts.known = packs::catalogue_of(packs::builtin());
  parts.virtual_device = [target] { return std::make_unique<devices::VirtualDevice>(target); };
  // Of the virtual device as well: whoever asks to watch it has a bug, and is told by an exception.
  const auto gpus = std::make_shared<Gpus>(device.gpus);
  if (device.gpus.empty()) {
    parts.runner = [make = parts.virtual_device, known = parts.known] {
      return std::make_unique<gates::InProcessRunner>(make, *known);
    };
    parts.fresh_runner = parts.runner;
  } else {
    const std::size_t each = workers_each(options.threads, device.gpus.size(), device.free_bytes);
    parts.runner = [gpus, each, options, use = register_use(device, options)] {
      return make_gpu_workers(gpus, each, options);
    };
    parts.fresh_runner = [gpus, log = options.log] { return make_fresh_gpu_worker(*gpus, log); };
    parts.gpu_look = nvml_look;
    parts.comparators = [gpus](const ComparatorJob& job, const std::stop_token& stop) {
      return time_comparators_apart(job, gpus->left().at(0), stop);
    };
  }
  parts.watch = [gpus](const gates::DeviceJob& job, std::chrono::milliseconds longest,
                       const std::stop_token& stop) {
    return sanitizer::run_compute_sanitizer(
        job, {{process::self_path(), "launch-job", "--device", gpus->left().at(0)}, longest, stop});
  };
  parts.profiler = [device](const model::Experiment& experiment) {
    return gate_profiler(experiment, device);
  };
  return parts;
}

namespace {

/// A problem's own reference is compiled before anything else, and by this process: without it nothing can be
/// judged.
StackParts with_reference(StackParts parts, const model::Experiment& experiment) {
  if (parts.device != "virtual" &&
      std::ranges::count(model::oracle_kinds(experiment.problem), model::OracleKind::command) > 0) {
    throw model::Exception(
        model::ExitCode::invalid_configuration,
        fmt::format("problem {}: its oracle is a command, and a worker on {} may start no program: take "
                    "--device virtual, or record the answers and name them under oracle: files",
                    experiment.problem.name, parts.device));
  }
  if (!parts.own_compiler) {
    reference::add_reference(*parts.known, experiment, *parts.compiler);
    return parts;
  }
  // A farm's workers compile for the search already, and this judges what is proven without them.
  compile::HostCodeCompiler here(*parts.own_compiler);
  reference::add_reference(*parts.known, experiment, here);
  return parts;
}

std::unique_ptr<LatencyModel> model_of(const model::Experiment& experiment, const gates::Ladder& ladder,
                                       const gates::JobRunner& runner, const oracle::Catalogue& known) {
  const devices::DeviceInfo device = runner.info();
  const model::TargetProfile* own =
      device.kind == "virtual" ? nullptr : gates::profile_of_device(experiment.known_targets, device.name);
  return make_latency_model(ladder, own != nullptr ? *own : experiment.target, known);
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
                                              parts_.virtual_device, *parts_.known)) {
  if (parts_.virtual_runner) ladder_->use_virtual_runner(parts_.virtual_runner());
  if (experiment.search.screen.on())
    latency_model_ = parts_.latency_model ? parts_.latency_model(*ladder_)
                                          : model_of(experiment, *ladder_, *runner_, *parts_.known);
  if (experiment.gates.counters.empty()) return;
  if (!parts_.profiler)
    throw model::Exception(model::ExitCode::invalid_configuration,
                           "gates.counters: nobody counts here what a launch does; take counters out");
  ladder_->use_profiler(parts_.profiler(experiment));
}

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

void EvaluationStack::end_search() {
  if (parts_.search_is_over) parts_.search_is_over();
  ladder_->use_virtual_runner(nullptr);
}

std::unique_ptr<gates::JobRunner> EvaluationStack::prover_here() const {
  return parts_.prover_here ? parts_.prover_here() : nullptr;
}

std::unique_ptr<gates::JobRunner> EvaluationStack::fresh_runner() const {
  return parts_.fresh_runner();
}

}  // namespace evo::session
