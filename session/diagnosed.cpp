#include "session/diagnosed.hpp"

#include <filesystem>
#include <memory>

#include <fmt/format.h>

#include "evaluators/devices/virtual/virtual_device.hpp"
#include "model/error.hpp"
#include "session/run_folder.hpp"
#include "session/variants.hpp"

namespace evo::session {
namespace {

Diagnosed source_to_diagnose(const SourceRequest& request) {
  SourceExperiment source = read_source_experiment(request);
  model::Template& kernel = source.experiment.problem.templates.front();
  Diagnosed chosen;
  chosen.template_name = kernel.name;
  chosen.source = std::move(kernel.source);
  chosen.source_file = kernel.source_file;
  kernel.source = std::move(source.template_source);
  chosen.genome = source.experiment.baseline;
  chosen.experiment = std::move(source.experiment);
  return chosen;
}

Diagnosed variant_to_diagnose(const std::string& name, const std::string& variant) {
  if (std::filesystem::is_regular_file(name)) {
    throw model::Exception(
        model::ExitCode::usage,
        fmt::format("{} is a file, not a run: to diagnose a kernel's source, name its problem with --problem",
                    name));
  }
  OpenedRun run = open_run(name);
  const auto ledger = open_ledger_for_reading(run.folder);
  const std::vector<engine::TrialRecord> trials = ledger->trials();
  if (variant.empty()) {
    throw model::Exception(
        model::ExitCode::usage,
        "which variant of the run? (evo lineage lists them; for a source file give --problem)");
  }
  const std::vector<engine::EventRecord> events = ledger->events();
  const engine::TrialRecord trial = find_variant(trials, variant, events);
  if (const auto meta = ledger->meta()) run.experiment.input_seed = meta->input_seed;
  Diagnosed chosen{std::move(run.experiment), trial.template_name, trial.genome};
  chosen.title = fmt::format("variant {} of {}", trial.variant, name);
  if (!model::is_proven_correct(trial.status))
    chosen.verdict = fmt::format("{} ({})", model::name_of(trial.status), trial.reason);
  return chosen;
}

}  // namespace

Diagnosed choose_diagnosed(const SourceRequest& source, const std::string& variant) {
  if (source.problem.empty()) return variant_to_diagnose(source.source, variant);
  if (!variant.empty())
    throw model::Exception(model::ExitCode::usage, "--problem and a variant of a run do not go together");
  return source_to_diagnose(source);
}

DeviceChoice device_to_diagnose_on(const model::Experiment& experiment, bool needs_gpu) {
  if (!needs_gpu || experiment.device == "virtual") return {"virtual", {}};
  return choose_device("auto", experiment.target);
}

evaluators::gates::DeviceFactory device_factory(const DeviceChoice& device,
                                                const model::TargetProfile& target) {
  namespace cuda = evaluators::cuda;
  if (device.id == "virtual")
    return [target] { return std::make_unique<evaluators::devices::VirtualDevice>(target); };
  auto context = cuda::open_context(cuda::parse_cuda_ordinal(device.id).value());
  cuda::share_context(*context);
  return [context] { return std::make_unique<cuda::CudaDevice>(context); };
}

}  // namespace evo::session
