#include "evaluators/gates/resources.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "evaluators/gates/launch_limits.hpp"
#include "evaluators/gates/module_contents.hpp"

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

}  // namespace

std::optional<Failure> check_resources(const TemplateContext& context, const BoundVariant& bound,
                                       const model::Artifact& artifact) {
  const model::Experiment& experiment = *context.experiment;
  const model::ResourceUsage& used = artifact.resources;
  std::int64_t most_threads = 0;
  std::optional<Failure> launches;
  for (const auto* cases : {&bound.workloads, &bound.odd_shapes}) {
    for (const model::Case& launch : *cases) {
      most_threads = std::max(most_threads, threads_of(launch.launch));
      if (!launches) launches = launch_excess(launch, used.static_smem_bytes, context);
    }
  }
  std::optional<Failure> all = check_module(artifact);
  add(all, check_stack(used));
  add(all, check_spills(used, experiment.gates.max_spill_bytes));
  add(all, check_registers(used, experiment.target, most_threads));
  if (!bound.static_smem_open) add(all, check_static_smem(used.static_smem_bytes, bound.static_smem));
  add(all, std::move(launches));
  return all;
}

}  // namespace evo::evaluators::gates
