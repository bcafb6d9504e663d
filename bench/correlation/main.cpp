// evo-correlation [--counts FILE] RUN...: how well the modelled latency ranks what runs measured. For every
// proven variant of a run on a GPU, models its latency on the virtual device, and prints Spearman's rank
// correlation and the median error, by template and workload. Needs NVRTC, but no GPU. With --counts, what
// was counted of each launch and what was measured, a JSON object a line.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>

#include <fmt/format.h>
#include <tbb/parallel_for.h>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include "config/loader.hpp"
#include "engine/ledger.hpp"
#include "engine/search_space.hpp"
#include "evaluators/compile/cache.hpp"
#include "evaluators/compile/caching_compiler.hpp"
#include "evaluators/compile/service.hpp"
#include "evaluators/devices/virtual/model/latency_model.hpp"
#include "evaluators/devices/virtual/virtual_device.hpp"
#include "evaluators/gates/case_buffers.hpp"
#include "evaluators/measure/statistics.hpp"
#include "evaluators/oracle/input_sets.hpp"
#include "evaluators/oracle/known_names.hpp"
#include "evaluators/process/child.hpp"
#include "model/error.hpp"
#include "model/variant.hpp"
#include "packs/builtin.hpp"
#include "report/counters.hpp"

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

/// What one launch did, of one variant and workload, and how long it took.
struct Pair {
  std::string template_name, workload, variant;
  double measured = 0;
  evaluators::virtual_device::ModelledLatency modelled;
  boost::json::object features;
};

boost::json::object features_of(const evaluators::devices::LaunchCounts& c,
                                const model::ResourceUsage& resources, const model::LaunchPlan& plan) {
  const auto extent = [](const std::array<std::uint32_t, 3>& e) {
    return static_cast<std::uint64_t>(e[0]) * e[1] * e[2];
  };
  boost::json::object features = report::counts_json(c);
  features["registers"] = resources.registers;
  features["spill_bytes"] = resources.spill_load_bytes + resources.spill_store_bytes;
  features["blocks"] = extent(plan.grid);
  features["threads"] = extent(plan.block);
  return features;
}

void model_case(const model::TargetProfile& target, const model::Artifact& artifact, const model::Case& bound,
                const model::InputSet& set, Pair& pair) {
  evaluators::devices::VirtualDevice device(target);
  const auto module = take(device.load(artifact));
  auto buffers = take(gates::CaseBuffers::create(device, bound, gates::as_allocated));
  const auto inputs =
      evaluators::oracle::make_inputs(packs::catalogue_of(packs::builtin()), bound, set, {1, 0});
  if (!inputs) fail(inputs.error().text());
  take(buffers.write_inputs(*inputs));
  take(buffers.poison(1, true));
  evaluators::devices::LaunchOptions options;
  options.checks = evaluators::devices::CheckLevel::none;
  options.count = true;
  const auto report = take(device.launch(module, bound.launch, buffers.arguments(), options));
  pair.modelled =
      evaluators::virtual_device::model_latency(report.counts, artifact.resources, bound.launch, target);
  pair.features = features_of(report.counts, artifact.resources, bound.launch);
  pair.features["occupancy_warps"] = pair.modelled.occupancy.warps_per_sm;
  pair.features["blocks_per_sm"] = pair.modelled.occupancy.blocks_per_sm;
  for (const auto& [name, microseconds] : pair.modelled.parts) pair.features["us_" + name] = microseconds;
}

evaluators::compile::CompileRequest request_of(const engine::SearchTemplate& entry,
                                               const model::Variant& variant,
                                               const model::TargetProfile& target) {
  evaluators::compile::CompileRequest request;
  request.source = variant.source;
  request.source_file = entry.kernel_template.source_file;
  request.entry = entry.kernel_template.entry;
  request.arch = target.arch;
  request.headers = entry.kernel_template.headers;
  return request;
}

/// Every proven variant and workload of a run. Variants that the virtual device cannot run are counted.
std::vector<Pair> pairs_of(const std::string& folder, std::size_t& left_out) {
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

  const std::vector<engine::TrialRecord> trials = ledger->trials();
  const model::InputSet set = experiment->problem.input_sets.empty() ? model::InputSet{"normal", "normal", {}}
                                                                     : experiment->problem.input_sets.front();
  std::vector<Pair> pairs;
  std::mutex mutex;
  tbb::parallel_for(std::size_t{0}, trials.size(), [&](std::size_t t) {
    const engine::TrialRecord& trial = trials[t];
    if (!trial.correct()) return;
    const engine::SearchTemplate& entry = *space.find(trial.template_name);
    const model::Variant variant = model::make_variant(entry.kernel_template, entry.space, trial.genome);
    const auto artifact = take(compiler.compile(request_of(entry, variant, experiment->target)));
    for (const model::WorkloadLatency& measured : trial.latencies) {
      const auto workload =
          std::ranges::find(experiment->workloads, measured.workload, &model::Workload::name);
      if (workload == experiment->workloads.end()) continue;
      const auto bound =
          model::bind_case(experiment->problem, entry.kernel_template, entry.space, trial.genome, *workload);
      if (!bound) fail(bound.error().text());
      Pair pair{trial.template_name, measured.workload, trial.variant, measured.latency.microseconds, {}, {}};
      try {
        model_case(experiment->target, artifact, *bound, set, pair);
      } catch (const model::Exception&) {
        const std::scoped_lock lock(mutex);
        ++left_out;
        continue;
      }
      const std::scoped_lock lock(mutex);
      pairs.push_back(std::move(pair));
    }
  });
  std::ranges::sort(pairs, {}, [](const Pair& pair) { return std::pair(pair.variant, pair.workload); });
  return pairs;
}

void print_table(const std::vector<Pair>& pairs) {
  std::map<std::pair<std::string, std::string>, std::vector<const Pair*>> groups;
  for (const Pair& pair : pairs) groups[{pair.template_name, pair.workload}].push_back(&pair);
  fmt::print(
      "| template | workload | variants | Spearman | modelled / measured, median | quartiles | median error "
      "|\n"
      "|---|---|---|---|---|---|---|\n");
  for (const auto& [name, group] : groups) {
    std::vector<double> measured, modelled, ratios, errors;
    for (const Pair* pair : group) {
      measured.push_back(pair->measured);
      modelled.push_back(pair->modelled.microseconds);
      ratios.push_back(modelled.back() / measured.back());
      errors.push_back(std::abs(ratios.back() - 1));
    }
    using namespace evaluators::measure;
    fmt::print("| {} | {} | {} | {:.3f} | {:.2f} | {:.2f} to {:.2f} | {:.0f} % |\n", name.first, name.second,
               group.size(), spearman(measured, modelled), median(ratios), quantile(ratios, 0.25),
               quantile(ratios, 0.75), 100 * median(errors));
  }
}

int run(const std::vector<std::string>& runs, const std::string& counts) {
  std::vector<Pair> pairs;
  std::size_t left_out = 0;
  for (const std::string& folder : runs) {
    for (Pair& pair : pairs_of(folder, left_out)) pairs.push_back(std::move(pair));
  }
  if (!counts.empty()) {
    std::ofstream file(counts);
    for (Pair& pair : pairs) {
      pair.features["template"] = pair.template_name;
      pair.features["workload"] = pair.workload;
      pair.features["variant"] = pair.variant;
      pair.features["measured_us"] = pair.measured;
      pair.features["modelled_us"] = pair.modelled.microseconds;
      file << boost::json::serialize(pair.features) << "\n";
    }
    if (!file.flush()) fail(counts + " cannot be written");
  }
  print_table(pairs);
  if (left_out > 0) fmt::print("left out: {} that the virtual device cannot run\n", left_out);
  return pairs.empty() ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) try {
  std::vector<std::string> runs(argv + 1, argv + argc);
  std::string counts;
  if (runs.size() > 1 && runs.front() == "--counts") {
    counts = runs[1];
    runs.erase(runs.begin(), runs.begin() + 2);
  }
  if (runs.empty() || runs.front().starts_with("-")) {
    fmt::print(stderr, "usage: evo-correlation [--counts FILE] RUN...\n");
    return 2;
  }
  return run(runs, counts);
} catch (const evo::model::Exception& error) {
  fmt::print(stderr, "evo-correlation: {}\n", error.what());
  return static_cast<int>(error.code());
}
