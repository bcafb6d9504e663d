#include "evaluators/gates/resources.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "evaluators/code/grid_barrier.hpp"
#include "evaluators/gates/constants_with_value.hpp"
#include "evaluators/gates/launch_limits.hpp"
#include "evaluators/gates/module_contents.hpp"
#include "model/occupancy.hpp"

namespace evo::evaluators::gates {
namespace {

using model::Failure;
using model::Status;

constexpr std::int64_t warp_threads = 32;
constexpr std::int64_t register_granularity = 256;  // a warp's registers are handed out in units of this

void add(std::optional<Failure>& all, std::optional<Failure> more) {
  if (!more) return;
  if (!all) {
    all = std::move(more);
  } else {
    all->evidence.insert(all->evidence.end(), more->evidence.begin(), more->evidence.end());
  }
}

/// Local memory is reserved for every thread that the device can hold: this much is 3 GiB on 132 SMs.
constexpr int most_stack_bytes = 12 * 1024;

std::optional<Failure> check_stack(const model::ResourceUsage& used) {
  if (used.stack_bytes <= most_stack_bytes) return std::nullopt;
  return fail(
      Status::over_budget, "stack",
      fmt::format("{} bytes of local memory a thread; {} are allowed", used.stack_bytes, most_stack_bytes));
}

std::optional<Failure> check_spills(const model::ResourceUsage& used, std::int64_t limit) {
  const std::int64_t bytes = std::int64_t{used.spill_store_bytes} + used.spill_load_bytes;
  if (bytes <= limit) return std::nullopt;
  return fail(Status::over_budget, "spills",
              fmt::format("{} bytes of spill stores and {} of spill loads; {} are allowed",
                          used.spill_store_bytes, used.spill_load_bytes, limit));
}

std::optional<Failure> check_registers(const model::ResourceUsage& used, const model::TargetProfile& target,
                                       std::int64_t most_threads) {
  if (used.registers > target.max_registers_per_thread) {
    return fail(Status::over_budget, "registers",
                fmt::format("{} registers a thread; {} has {}", used.registers, target.name,
                            target.max_registers_per_thread));
  }
  const std::int64_t warps = (most_threads + warp_threads - 1) / warp_threads;
  const std::int64_t per_warp =
      (used.registers * warp_threads + register_granularity - 1) / register_granularity;
  const std::int64_t needed = warps * per_warp * register_granularity;
  if (needed <= target.registers_per_sm) return std::nullopt;
  return fail(Status::over_budget, "registers",
              fmt::format("a block of {} threads with {} registers each needs {}; an SM of {} has {}",
                          most_threads, used.registers, needed, target.name, target.registers_per_sm));
}

std::optional<Failure> check_static_smem(std::int64_t reported, std::int64_t predicted) {
  if (reported == predicted) return std::nullopt;
  return fail(Status::over_budget, "static_smem_mismatch",
              fmt::format("the compiler reports {} bytes of static shared memory; the template predicts {}",
                          reported, predicted),
              {{"reported", fmt::format("{}", reported)}, {"predicted", fmt::format("{}", predicted)}});
}

/// What is asked of one kernel; `predicted`: its static shared memory, where the template says.
std::optional<Failure> check_kernel(const model::Experiment& experiment, const model::ResourceUsage& used,
                                    std::int64_t most_threads, std::optional<std::int64_t> predicted) {
  std::optional<Failure> all;
  add(all, check_stack(used));
  add(all, check_spills(used, experiment.gates.max_spill_bytes));
  add(all, check_registers(used, experiment.target, most_threads));
  if (predicted) add(all, check_static_smem(used.static_smem_bytes, *predicted));
  return all;
}

/// Of kernel `index` of the artifact: one that waits for its whole grid needs all of its blocks at work at a
/// time.
std::optional<Failure> check_whole_grid(const TemplateContext& context, const BoundVariant& bound,
                                        const model::ResourceUsage& used, std::size_t index) {
  const model::TargetProfile& target = context.experiment->target;
  for (const auto* asked : {&bound.workloads, &bound.check_workloads}) {
    for (const model::Case& launch : *asked) {
      for (const model::LaunchPlan* plan : model::kernels_of(launch.launch)) {
        if (plan->kernel != index) continue;
        const std::uint64_t blocks = std::uint64_t{plan->grid[0]} * plan->grid[1] * plan->grid[2];
        const std::uint64_t resident = model::resident_blocks(used, *plan, target);
        if (resident == 0 || blocks <= resident) continue;
        return fail(
            Status::over_budget, "cooperative_launch_too_large",
            fmt::format("the kernel waits for its whole grid: its {} blocks in case {} have to be there at a "
                        "time, and {} holds {}",
                        blocks, launch.name, target.name, resident),
            {{"case", launch.name},
             {"blocks", fmt::format("{}", blocks)},
             {"resident", fmt::format("{}", resident)}});
      }
    }
  }
  return std::nullopt;
}

/// The names of the variables that the plan fills.
std::vector<std::string> filled_by(const BoundVariant& bound) {
  std::vector<std::string> names;
  for (const auto* cases : {&bound.workloads, &bound.check_workloads, &bound.sanitize_shapes}) {
    for (const model::Case& one : *cases) {
      for (const model::SymbolPlan& symbol : one.launch.symbols) names.push_back(symbol.name);
      if (!names.empty()) return names;  // they are those of the problem, in every case
    }
  }
  return names;
}

}  // namespace

std::optional<Failure> check_resources(const TemplateContext& context, const BoundVariant& bound,
                                       const model::Artifact& artifact) {
  std::vector<const model::ResourceUsage*> used{&artifact.resources};
  std::vector<std::string> names{artifact.entry};
  for (const model::FurtherKernel& kernel : artifact.others) {
    used.push_back(&kernel.resources);
    names.push_back(kernel.entry);
  }
  std::vector<std::int64_t> most_threads(used.size(), 0), static_smem;
  for (const model::ResourceUsage* kernel : used) static_smem.push_back(kernel->static_smem_bytes);
  std::optional<Failure> launches;
  for (const auto* cases : {&bound.workloads, &bound.check_workloads}) {
    for (const model::Case& launch : *cases) {
      for (const model::LaunchPlan* plan : model::kernels_of(launch.launch)) {
        std::int64_t& most = most_threads.at(plan->kernel);
        most = std::max(most, threads_of(*plan));
      }
      if (!launches) launches = launch_excess(launch, static_smem, context);
    }
  }
  std::vector<std::string> filled = filled_by(bound);
  const model::Template& own = *context.kernel_template;
  for (std::string& name : variables_with_value(artifact.ptx, own.source)) filled.push_back(std::move(name));
  for (const auto& [file, text] : own.headers) {
    for (std::string& name : variables_with_value(artifact.ptx, text)) filled.push_back(std::move(name));
  }
  std::optional<Failure> all = check_module(artifact, filled);
  for (std::size_t i = 0; i < used.size(); ++i) {
    const std::optional<std::int64_t> predicted = i < bound.static_smem.size() ? bound.static_smem[i] : 0;
    auto failure = check_kernel(*context.experiment, *used[i], most_threads[i], predicted);
    if (code::waits_for_grid(artifact.ptx, names[i]))
      add(failure, check_whole_grid(context, bound, *used[i], i));
    if (failure && used.size() > 1) failure = located(std::move(*failure), {{"kernel", names[i]}});
    add(all, std::move(failure));
  }
  add(all, std::move(launches));
  return all;
}

}  // namespace evo::evaluators::gates
