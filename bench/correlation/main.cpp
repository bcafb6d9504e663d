// evo-correlation RUN: how well the modelled latency ranks what a run measured. For every proven variant of a
// run on a GPU, models its latency on the virtual device and prints Spearman's rank correlation. Needs NVRTC,
// but no GPU.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>

#include <fmt/format.h>

#include "config/loader.hpp"
#include "engine/ledger.hpp"
#include "engine/search_space.hpp"
#include "evaluators/compile/cache.hpp"
#include "evaluators/compile/caching_compiler.hpp"
#include "evaluators/compile/service.hpp"
#include "evaluators/devices/virtual/virtual_device.hpp"
#include "evaluators/gates/case_buffers.hpp"
#include "evaluators/measure/statistics.hpp"
#include "evaluators/oracle/input_sets.hpp"
#include "evaluators/oracle/known_names.hpp"
#include "evaluators/process/child.hpp"
#include "model/error.hpp"
#include "model/variant.hpp"
#include "packs/builtin.hpp"

namespace {

using namespace evo;
namespace gates = evaluators::gates;

[[noreturn]] void fail(const std::string& message) {
  throw model::Exception(model::ExitCode::failed, message);
}

template <class T>
T take(evaluators::devices::Outcome<T> outcome) {
  if (!outcome) fail(fmt::format("{} ({})", model::name_of(outcome.error().status), outcome.error().reason));
  if constexpr (!std::is_void_v<T>) return std::move(*outcome);
}

/// Modelled latency of one workload, in microseconds.
double model_case(evaluators::devices::Device& device, const model::Artifact& artifact,
                  const model::Case& bound) {
  const auto module = take(device.load(artifact));
  auto buffers = take(gates::CaseBuffers::create(device, bound, gates::as_allocated));
  const auto inputs = evaluators::oracle::make_inputs(packs::catalogue_of(packs::builtin()), bound,
                                                      {"normal", "normal", {}}, {1, 0});
  if (!inputs) fail(inputs.error().text());
  take(buffers.write_inputs(*inputs));
  take(buffers.poison(1, true));
  const std::vector<std::vector<evaluators::devices::KernelArgument>> sets{
      {buffers.arguments().begin(), buffers.arguments().end()}};
  const auto timing = take(device.time(module, bound.launch, sets, {}));
  device.unload(module);
  return timing.samples_us.at(0);
}

int run(const std::string& folder) {
  const auto path =
      config::default_search_path(evaluators::process::self_path(),
                                  evaluators::oracle::known_names(packs::catalogue_of(packs::builtin())));
  const auto experiment = config::load_experiment(folder + "/experiment.yaml", {}, path);
  if (!experiment) fail(experiment.error().text());
  const auto ledger =
      engine::open_sqlite_ledger(std::filesystem::path(folder) / "ledger.sqlite", engine::LedgerMode::read);
  const engine::SearchSpace space = engine::make_search_space(*experiment);
  evaluators::compile::ServiceOptions options;
  options.worker_command = {
      (std::filesystem::path(evaluators::process::self_path()).parent_path() / "evo").string(),
      "compile-worker"};
  evaluators::compile::CompileService service(options);
  evaluators::compile::ArtifactCache cache(evaluators::compile::ArtifactCache::default_folder());
  evaluators::compile::CachingCompiler compiler(service, cache);
  evaluators::devices::VirtualDevice device(experiment->target);

  std::map<std::string, std::pair<std::vector<double>, std::vector<double>>> pairs;
  for (const engine::TrialRecord& trial : ledger->trials()) {
    if (!trial.right()) continue;
    const engine::SearchTemplate& entry = *space.find(trial.template_name);
    const model::Variant variant = model::make_variant(entry.kernel, entry.space, trial.genome);
    evaluators::compile::CompileRequest request;
    request.source = variant.source;
    request.source_file = entry.kernel.source_file;
    request.entry = entry.kernel.entry;
    request.arch = experiment->target.arch;
    request.headers = entry.kernel.headers;
    const auto artifact = take(compiler.compile(request));
    for (const model::WorkloadLatency& measured : trial.latencies) {
      const auto workload =
          std::find_if(experiment->workloads.begin(), experiment->workloads.end(),
                       [&](const model::Workload& w) { return w.name == measured.workload; });
      if (workload == experiment->workloads.end()) continue;
      const auto bound =
          model::bind_case(experiment->problem, entry.kernel, entry.space, trial.genome, *workload);
      if (!bound) fail(bound.error().text());
      const double modelled = model_case(device, artifact, *bound);
      auto& [x, y] = pairs[measured.workload];
      x.push_back(measured.latency.microseconds);
      y.push_back(modelled);
      fmt::print("{} {:<12} {} {:>10.2f} us  modelled {:>10.2f} us\n", trial.variant, measured.workload,
                 model::name_of(measured.latency.kind), measured.latency.microseconds, modelled);
    }
  }
  for (const auto& [name, pair] : pairs) {
    const auto& [measured, modelled] = pair;
    std::vector<double> ratios;
    for (std::size_t i = 0; i < measured.size(); ++i) ratios.push_back(modelled[i] / measured[i]);
    fmt::print(
        "{}: Spearman {:.3f} over {} proven variants; modelled / measured: median {:.2f}, quartiles {:.2f} "
        "to {:.2f}\n",
        name, evaluators::measure::spearman(measured, modelled), measured.size(),
        evaluators::measure::median(ratios), evaluators::measure::quantile(ratios, 0.25),
        evaluators::measure::quantile(ratios, 0.75));
  }
  return pairs.empty() ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 2) {
    fmt::print(stderr, "usage: evo-correlation RUN\n");
    return 2;
  }
  return run(argv[1]);
} catch (const evo::model::Exception& error) {
  fmt::print(stderr, "evo-correlation: {}\n", error.what());
  return static_cast<int>(error.code());
}
