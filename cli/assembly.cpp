#include "cli/assembly.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include <sys/random.h>

#include <fmt/format.h>

#include "evaluators/compile/cache.hpp"
#include "evaluators/compile/caching_compiler.hpp"
#include "evaluators/compile/service.hpp"
#include "evaluators/devices/cuda/cuda_device.hpp"
#include "evaluators/devices/virtual/virtual_device.hpp"
#include "evaluators/gates/in_process_runner.hpp"
#include "evaluators/gates/ladder.hpp"
#include "evaluators/worker/pool.hpp"
#include "model/error.hpp"

namespace evo::cli {
namespace {

/// 89 of "sm_89" or "sm_90a".
int arch_number(const std::string& arch) {
  return arch.starts_with("sm_") ? std::atoi(arch.c_str() + 3) : 0;
}

}  // namespace

DeviceChoice choose_device(const std::string& wanted, const model::TargetProfile& target) {
  if (wanted == "virtual") return {"virtual", {}};
  const evaluators::cuda::CudaDeviceList list = evaluators::cuda::list_cuda_devices();
  const int needed = arch_number(target.arch);
  if (wanted == "auto") {
    for (const auto& entry : list.devices) {
      if (arch_number(entry.info.arch) < needed) continue;
      return {
          fmt::format("cuda:{}", entry.ordinal),
          fmt::format("device auto: measuring on {} under the limits of {}", entry.info.name, target.name)};
    }
    const std::string why = list.devices.empty()
                                ? list.reason
                                : fmt::format("no GPU here runs code for {} ({})", target.name, target.arch);
    return {"virtual", fmt::format("device auto: {}; using the virtual device, latencies are modelled", why)};
  }
  const auto ordinal = evaluators::cuda::parse_cuda_ordinal(wanted);
  for (const auto& entry : list.devices) {
    if (!ordinal || entry.ordinal != *ordinal) continue;
    if (arch_number(entry.info.arch) < needed) {
      throw model::Exception(
          model::ExitCode::environment,
          fmt::format("{} is a {} ({}), older than the target {} ({}): it cannot run the target's code. "
                      "Choose an older target, or --device virtual",
                      wanted, entry.info.name, entry.info.arch, target.name, target.arch));
    }
    return {wanted, {}};
  }
  throw model::Exception(
      model::ExitCode::environment,
      fmt::format("there is no device {}: {}", wanted,
                  list.reason.empty() ? fmt::format("{} found", list.devices.size()) : list.reason));
}

std::uint64_t draw_entropy() {
  std::uint64_t value = 0;
  if (::getrandom(&value, sizeof value, 0) != static_cast<ssize_t>(sizeof value)) {
    throw model::Exception(model::ExitCode::environment,
                           fmt::format("the system gives no random numbers: {}", std::strerror(errno)));
  }
  // 63 bits: fits SQLite's and YAML's signed integers.
  return value >> 1;
}

struct Assembly::Parts {
  std::string device;
  std::function<std::unique_ptr<evaluators::gates::JobRunner>()> fresh_runner;
  std::unique_ptr<evaluators::compile::CompileService> service;
  std::unique_ptr<evaluators::compile::ArtifactCache> cache;
  std::unique_ptr<evaluators::compile::CachingCompiler> compiler;
  std::unique_ptr<evaluators::gates::JobRunner> runner;
  std::unique_ptr<evaluators::gates::Ladder> ladder;
};

Assembly::Assembly(const model::Experiment& experiment, const DeviceChoice& device,
                   const AssemblyOptions& options)
    : parts_(std::make_unique<Parts>()) {
  using namespace evaluators;
  compile::ServiceOptions service;
  service.workers = static_cast<unsigned>(options.threads);
  parts_->service = std::make_unique<compile::CompileService>(service);
  (void)parts_->service->greeting();  // a missing NVRTC is told now, not at the first trial
  parts_->cache = std::make_unique<compile::ArtifactCache>(compile::ArtifactCache::default_folder());
  if (options.log && !parts_->cache->problem().empty())
    options.log("artifact cache: " + parts_->cache->problem());
  parts_->compiler = std::make_unique<compile::CachingCompiler>(*parts_->service, *parts_->cache);

  const model::TargetProfile target = experiment.target;
  const auto virtual_device = [target] { return std::make_unique<devices::VirtualDevice>(target); };
  parts_->device = device.spelling;
  parts_->fresh_runner = [virtual_device, spelling = device.spelling,
                          log = options.log]() -> std::unique_ptr<gates::JobRunner> {
    if (spelling == "virtual") return std::make_unique<gates::InProcessRunner>(virtual_device);
    worker::WorkerPoolOptions pool;
    pool.commands = {worker::worker_command(spelling)};
    pool.spare = false;
    pool.log = log;
    return std::make_unique<worker::WorkerPool>(std::move(pool));
  };
  if (device.spelling == "virtual") {
    parts_->runner = std::make_unique<gates::InProcessRunner>(virtual_device);
  } else {
    worker::WorkerPoolOptions pool;
    // A trial of experiments/s512_h200.yaml took a worker three times as long as it held the GPU, which
    // waited for three workers; a small host has no cores for more than one.
    const auto workers = static_cast<std::size_t>(std::clamp(options.threads / 4, 1, 4));
    pool.commands.assign(workers, worker::worker_command(device.spelling));
    pool.log = options.log;
    parts_->runner = std::make_unique<worker::WorkerPool>(std::move(pool));
  }
  model::Experiment seeded = experiment;
  seeded.input_seed = options.input_seed;
  parts_->ladder =
      std::make_unique<gates::Ladder>(std::move(seeded), *parts_->compiler, *parts_->runner, virtual_device);
}

Assembly::~Assembly() = default;

std::vector<evaluators::gates::GateTime> Assembly::times() const {
  const evaluators::compile::CompileService::Usage compiler = parts_->service->usage();
  auto times = parts_->ladder->times();
  for (evaluators::gates::GateTime& time : times) {
    if (time.gate != model::Gate::compile) continue;
    time.cpu += compiler.cpu_seconds;
    time.waiting = compiler.waiting_seconds;
    time.wall = std::max(0.0, time.wall - compiler.waiting_seconds);
  }
  return times;
}

evaluators::gates::Ladder& Assembly::ladder() {
  return *parts_->ladder;
}
evaluators::compile::Compiler& Assembly::compiler() {
  return *parts_->compiler;
}
std::unique_ptr<evaluators::gates::JobRunner> Assembly::fresh_runner() const {
  return parts_->fresh_runner();
}
const std::string& Assembly::device() const {
  return parts_->device;
}
evaluators::gates::JobRunner& Assembly::runner() {
  return *parts_->runner;
}

}  // namespace evo::cli
