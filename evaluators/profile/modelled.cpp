#include "evaluators/profile/modelled.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "evaluators/devices/virtual/virtual_device.hpp"
#include "evaluators/gates/case_buffers.hpp"
#include "evaluators/gates/loaded_module.hpp"
#include "evaluators/oracle/input_sets.hpp"
#include "model/error.hpp"

namespace evo::evaluators::profile {
namespace {

namespace vd = virtual_device;
using Values = std::map<std::string, double, std::less<>>;

double as_double(std::uint64_t count) {
  return static_cast<double>(count);
}

double part_of(const vd::ModelledLatency& modelled, std::string_view name) {
  for (const auto& [part, microseconds] : modelled.parts) {
    if (part == name) return microseconds;
  }
  return 0;
}

void add_counts(const devices::LaunchCounts& counts, Values& values) {
  values["instructions"] = as_double(counts.warp_instructions);
  values["mufu_instructions"] = as_double(counts.special);
  values["l2_sectors"] = as_double(counts.global_sectors);
  values["shared_wavefronts"] = as_double(counts.shared_wavefronts);
  values["bank_conflicts"] =
      as_double(counts.shared_wavefronts - std::min(counts.shared_wavefronts, counts.shared_accesses));
}

/// How many of an SM's warps are there at most: of the resident blocks, if the grid has as many.
double occupancy_percent(const vd::ModelledLatency& modelled, const model::LaunchPlan& plan,
                         const model::TargetProfile& target) {
  const vd::Occupancy& fits = modelled.occupancy;
  if (fits.blocks_per_sm == 0 || target.max_warps_per_sm == 0) return 0;
  const double a_block = static_cast<double>(fits.warps_per_sm) / fits.blocks_per_sm;
  const double busiest = std::ceil(as_double(vd::count_of(plan.grid)) / target.sm_count);
  return 100 * a_block * std::min<double>(fits.blocks_per_sm, busiest) / target.max_warps_per_sm;
}

/// The lines that are executed most first, those of several kernels together.
std::vector<model::LineCount> hottest(const std::vector<model::LineCount>& counted) {
  std::map<std::pair<std::string, int>, model::LineCount> together;
  for (const model::LineCount& line : counted) {
    model::LineCount& sum = together[{line.file, line.line}];
    sum.file = line.file;
    sum.line = line.line;
    sum.warp_instructions += line.warp_instructions;
    sum.sectors += line.sectors;
    sum.bank_conflicts += line.bank_conflicts;
  }
  std::vector<model::LineCount> lines;
  for (auto& [where, line] : together) lines.push_back(std::move(line));
  std::sort(lines.begin(), lines.end(), [](const model::LineCount& a, const model::LineCount& b) {
    return std::tie(b.warp_instructions, a.file, a.line) < std::tie(a.warp_instructions, b.file, b.line);
  });
  return lines;
}

}  // namespace

void add_resources(const model::ResourceUsage& resources, Values& values) {
  values["registers"] = resources.registers;
  values["spill_bytes"] = resources.spill_load_bytes + resources.spill_store_bytes;
  values["static_smem_bytes"] = static_cast<double>(resources.static_smem_bytes);
}

Values counters_of(const devices::LaunchCounts& counts, const vd::ModelledLatency& modelled,
                   const model::ResourceUsage& resources, const model::LaunchPlan& plan,
                   const model::TargetProfile& target) {
  Values values;
  add_counts(counts, values);
  add_resources(resources, values);
  const double us = modelled.microseconds - part_of(modelled, "launch");
  if (!std::isfinite(us) || us <= 0) return values;
  values["duration_us"] = us;
  const auto share = [&](double microseconds) { return 100 * microseconds / us; };
  values["issue_percent"] = share(part_of(modelled, "issue"));
  values["tensor_percent"] = share(part_of(modelled, "tensor"));
  // Half-precision arithmetic is the FMA pipe's. Which conversions are the XU's PTX does not tell; those
  // between floats of 16 and 32 bits are not.
  values["fma_percent"] = share(part_of(modelled, "fp32") + part_of(modelled, "fp16"));
  values["alu_percent"] = share(part_of(modelled, "integer"));
  values["mufu_percent"] = share(part_of(modelled, "special"));
  values["fp64_percent"] = share(part_of(modelled, "fp64"));
  values["lsu_percent"] = share(part_of(modelled, "load_store"));
  values["l2_percent"] = share(part_of(modelled, "l2"));
  values["dram_percent"] = share(part_of(modelled, "dram"));
  values["dram_bytes"] = part_of(modelled, "dram") * target.dram_gb_per_s * 1e3;  // a us at 1 GB/s: 1e3 bytes
  values["occupancy_percent"] = occupancy_percent(modelled, plan, target);
  return values;
}

ModelledProfiler::ModelledProfiler(model::TargetProfile target, oracle::Catalogue known,
                                   std::uint64_t most_instructions)
    : target_(std::move(target)), known_(std::move(known)), most_instructions_(most_instructions) {}

gates::Profiled ModelledProfiler::profile(const gates::DeviceJob& job) {
  gates::Profiled profiled;
  model::CounterReading reading{model::CounterBasis::modelled, vd::latency_model_name, target_.name, {}};
  devices::VirtualDevice device(target_);
  const auto give_up = [&](model::Failure failure) {
    if (failure.status == model::Status::unsupported || failure.reason == "hang") {
      profiled.refused.push_back(
          {"virtual device", failure.evidence.empty() ? failure.reason : failure.evidence.front().message});
    } else {
      profiled.failure = std::move(failure);
    }
    return profiled;
  };
  const auto module = device.load(job.artifact);
  if (!module) return give_up(module.error());
  const gates::LoadedModule loaded(device, *module);
  for (const model::Case& bound : job.cases) {
    const auto inputs =
        oracle::make_inputs(known_, bound, job.input_sets.front(), {.seed = 1, .rotation = 1});
    if (!inputs) throw model::Exception(model::ExitCode::invalid_configuration, inputs.error().text());
    auto buffers = gates::CaseBuffers::create(device, bound, gates::as_allocated);
    if (!buffers) return give_up(buffers.error());
    if (auto done = buffers->write_inputs(*inputs); !done) return give_up(done.error());
    if (auto done = buffers->poison(1, false); !done) return give_up(done.error());
    devices::LaunchOptions options;
    options.checks = devices::CheckLevel::none;
    options.instruction_budget = most_instructions_;
    options.count = true;
    const auto launched = device.launch(*module, bound.launch, buffers->arguments(), options);
    if (!launched) return give_up(launched.error());
    model::KernelCounters kernel{bound.name, job.artifact.entry, {}, {}, hottest(launched->lines)};
    if (model::kernels_of(bound.launch).size() == 1) {
      const vd::ModelledLatency modelled =
          vd::model_latency(launched->counts, job.artifact.resources, bound.launch, target_);
      kernel.values = counters_of(launched->counts, modelled, job.artifact.resources, bound.launch, target_);
      kernel.bottleneck = modelled.bottleneck;
    } else {
      kernel.kernel = "all kernels";
      add_counts(launched->counts, kernel.values);
      add_resources(job.artifact.resources, kernel.values);
    }
    reading.kernels.push_back(std::move(kernel));
  }
  profiled.reading = std::move(reading);
  return profiled;
}

}  // namespace evo::evaluators::profile
