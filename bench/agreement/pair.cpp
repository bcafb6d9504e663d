#include "bench/agreement/pair.hpp"

#include <cstdlib>
#include <filesystem>

#include <fmt/format.h>

#include "config/targets.hpp"
#include "evaluators/devices/cuda/cuda_device.hpp"
#include "evaluators/devices/virtual/virtual_device.hpp"
#include "evaluators/process/child.hpp"
#include "model/error.hpp"
#include "model/target.hpp"

namespace evo::bench {

evaluators::compile::ServiceOptions service_options() {
  evaluators::compile::ServiceOptions options;
  const char* named = std::getenv("EVO_BINARY");
  const std::filesystem::path self = evaluators::process::self_path();
  options.worker_command = {named != nullptr ? named : (self.parent_path() / "evo").string(),
                            "compile-worker"};
  return options;
}

namespace {

model::TargetProfile h200() {
  const auto path = config::default_search_path(evaluators::process::self_path(), {});
  const auto targets = config::load_targets(path.target_folders);
  if (!targets) throw model::Exception(model::ExitCode::invalid_configuration, targets.error().text());
  const model::TargetProfile* found = model::find_target(*targets, "h200");
  if (found == nullptr)
    throw model::Exception(model::ExitCode::environment, "the folder targets/ of evo has no h200.yaml");
  return *found;
}

}  // namespace

DevicePair::DevicePair()
    : service_(std::make_unique<evaluators::compile::CompileService>(service_options())),
      cache_(evaluators::compile::ArtifactCache::default_folder()),
      caching_(std::make_unique<evaluators::compile::CachingCompiler>(*service_, cache_)) {
  const auto list = evaluators::cuda::list_cuda_devices();
  if (list.devices.empty())
    throw model::Exception(model::ExitCode::environment, "no GPU to compare with: " + list.reason);
  arch_ = list.devices.front().info.arch == "sm_90" ? "sm_90a" : list.devices.front().info.arch;
  gpu_ = std::make_unique<evaluators::cuda::CudaDevice>(evaluators::cuda::open_context(0));
  machine_ = std::make_unique<evaluators::devices::VirtualDevice>(h200());
}

std::string DevicePair::description() const {
  return fmt::format("{}, driver {}, {}", gpu_->info().name, gpu_->info().driver, caching_->version());
}

}  // namespace evo::bench
