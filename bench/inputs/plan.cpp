#include "bench/inputs/plan.hpp"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "engine/search_space.hpp"
#include "evaluators/devices/virtual/virtual_device.hpp"
#include "evaluators/gates/check_plan.hpp"
#include "evaluators/gates/job_context.hpp"
#include "evaluators/gates/ladder.hpp"
#include "evaluators/gates/prefetch.hpp"
#include "model/error.hpp"
#include "packs/builtin.hpp"
#include "session/compilers.hpp"

namespace evo::bench {
namespace {

namespace gates = evaluators::gates;
namespace devices = evaluators::devices;
namespace oracle = evaluators::oracle;

constexpr std::size_t dearest = 12;

std::string_view name_of(gates::CaseUse use) {
  switch (use) {
    case gates::CaseUse::workload:
      return "workload";
    case gates::CaseUse::odd:
      return "odd";
    case gates::CaseUse::drawn:
      return "drawn";
    case gates::CaseUse::placed:
      return "placed";
    case gates::CaseUse::changed:
      return "changed";
    case gates::CaseUse::swept:
      return "swept";
    case gates::CaseUse::stretched:
      return "stretched";
    case gates::CaseUse::crossed:
      return "crossed";
    case gates::CaseUse::rescaled:
      return "rescaled";
    case gates::CaseUse::unusual:
      return "unusual";
    case gates::CaseUse::named:
      return "named";
    case gates::CaseUse::alone:
      return "alone";
    case gates::CaseUse::ranged:
      return "ranged";
  }
  return "";
}

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

struct Cost {
  std::size_t launches = 0;
  double wall = 0, cpu = 0;
};

/// Answers as a GPU, and makes the data of each launch that it is asked for instead of launching.
class DataOnly final : public gates::JobRunner {
 public:
  DataOnly(oracle::Catalogue known, std::string arch) : cache_(std::move(known)), arch_(std::move(arch)) {}

  gates::DeviceResult run(const gates::DeviceJob& job) override {
    gates::DeviceResult result;
    result.gates.push_back({model::Gate::correctness, std::nullopt, 0});
    result.gates.push_back({model::Gate::latency, std::nullopt, 0});
    const auto device = std::make_unique<devices::VirtualDevice>(model::TargetProfile{});
    const gates::JobContext context{*device, 0, job, cache_};
    std::map<gates::CaseUse, Cost> by_use;
    std::vector<std::pair<double, std::string>> each;
    Cost all;
    for (const gates::Check& check : gates::plan_checks(job, false)) {
      const model::Case& bound = job.cases[check.case_index];
      const model::InputSet& set = job.input_sets[check.set_index];
      const double wall = seconds_now(), cpu = gates::process_cpu_seconds();
      static_cast<void>(
          context.reference(bound, set, {.seed = job.input_seed}, gates::is_conditioned(context, check)));
      const double took = seconds_now() - wall, used = gates::process_cpu_seconds() - cpu;
      for (Cost* cost : {&by_use[gates::use_of(job, check.case_index)], &all}) {
        ++cost->launches;
        cost->wall += took;
        cost->cpu += used;
      }
      each.emplace_back(used, fmt::format("{} on {}, {:.3g} operations", bound.name, set.name, bound.flops));
    }
    fmt::print("{:<12} {:>9} {:>10} {:>10}\n", job.whole_launches ? "baseline" : "candidate", "launches",
               "wall, s", "CPU, s");
    for (const auto& [use, cost] : by_use)
      fmt::print("{:<12} {:>9} {:>10.2f} {:>10.2f}\n", name_of(use), cost.launches, cost.wall, cost.cpu);
    fmt::print("{:<12} {:>9} {:>10.2f} {:>10.2f}\n", "all", all.launches, all.wall, all.cpu);
    std::ranges::sort(each, std::greater{});
    each.resize(std::min(each.size(), dearest));
    for (const auto& [used, text] : each) fmt::print("  {:.2f} s: {}\n", used, text);
    return result;
  }
  [[nodiscard]] devices::DeviceInfo info() const override {
    devices::DeviceInfo info;
    info.kind = "cuda";
    info.name = "none: data only";
    info.arch = arch_;
    return info;
  }

 private:
  oracle::ReferenceCache cache_;
  std::string arch_;
};

}  // namespace

int print_plan(const model::Experiment& experiment) {
  const auto compiler = session::cached_compiler(1);
  const oracle::Catalogue known = packs::catalogue_of(packs::builtin());
  DataOnly runner(known, experiment.target.arch);
  gates::Ladder ladder(
      experiment, *compiler, runner,
      [&] { return std::make_unique<devices::VirtualDevice>(experiment.target); }, known);
  const engine::SearchSpace space = engine::make_search_space(experiment);
  const engine::SearchTemplate& base = space.templates[space.baseline_template];
  const model::Variant variant = model::make_variant(base.kernel_template, base.space, space.baseline);
  for (int turn = 0; turn < 2; ++turn) {
    const gates::GateReport report = gates::prove(ladder, variant);
    if (const model::Failure* failure = report.failure())
      throw model::Exception(model::ExitCode::failed, fmt::format("the baseline fails: {}", failure->reason));
  }
  return 0;
}

}  // namespace evo::bench
