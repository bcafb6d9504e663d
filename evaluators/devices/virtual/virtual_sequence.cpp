// VirtualDevice: the kernels of a plan, one behind the other.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "evaluators/code/module_variables.hpp"
#include "evaluators/devices/virtual/model/latency_model.hpp"
#include "evaluators/devices/virtual/virtual_device_parts.hpp"

namespace evo::evaluators::devices {
namespace {

/// What no launch of the same kernel has run.
void keep_common(std::vector<model::Evidence>& never, const std::vector<model::Evidence>& now) {
  std::erase_if(never, [&](const model::Evidence& evidence) {
    return std::none_of(now.begin(), now.end(), [&](const model::Evidence& other) {
      return other.file == evidence.file && other.line == evidence.line && other.message == evidence.message;
    });
  });
}

void add_counts(LaunchCounts& sum, const LaunchCounts& one) {
  for (const auto field : {&LaunchCounts::thread_instructions,
                           &LaunchCounts::warp_instructions,
                           &LaunchCounts::fp32,
                           &LaunchCounts::fp64,
                           &LaunchCounts::fp16,
                           &LaunchCounts::integer,
                           &LaunchCounts::conversion,
                           &LaunchCounts::special,
                           &LaunchCounts::control,
                           &LaunchCounts::tensor,
                           &LaunchCounts::shared_accesses,
                           &LaunchCounts::shared_wavefronts,
                           &LaunchCounts::global_accesses,
                           &LaunchCounts::global_sectors,
                           &LaunchCounts::async_copies,
                           &LaunchCounts::async_bytes,
                           &LaunchCounts::async_waits,
                           &LaunchCounts::local_accesses,
                           &LaunchCounts::barriers,
                           &LaunchCounts::shuffles,
                           &LaunchCounts::atomics,
                           &LaunchCounts::unique_global_bytes,
                           &LaunchCounts::longest_warp_instructions}) {
    sum.*field += one.*field;
  }
}

/// The launch's report, or what it leaves in variables, which says more than a race for them.
Outcome<LaunchReport> with_left(Outcome<LaunchReport> report, const FoundVariables& found,
                                const vd::Launch& launch) {
  // A sample of blocks that needs the others means nothing, what it leaves included.
  const bool ended =
      report ? !(launch.sampled() && !report->blocks_independent) : report.error().reason.starts_with("race");
  if (!ended) return report;
  auto left = found.check();
  if (left) return report;
  model::Failure failure = std::move(left).error();
  if (!report) {
    std::vector<model::Evidence>& races = report.error().evidence;
    failure.evidence.insert(failure.evidence.end(), races.begin(), races.end());
  }
  return tl::unexpected(std::move(failure));
}

/// Which of the plan's kernels it was.
model::Failure told(model::Failure failure, std::size_t index, std::size_t count, const std::string& entry) {
  for (model::Evidence& evidence : failure.evidence)
    evidence.details.emplace_back("launch", fmt::format("{} of {}, {}", index + 1, count, entry));
  return failure;
}

}  // namespace

tl::unexpected<model::Failure> virtual_refusal(std::string reason, std::string message) {
  model::Failure failure;
  failure.status = model::Status::launch_error;
  failure.reason = reason;
  failure.evidence.push_back({std::move(reason), std::move(message), "", 0, {}});
  return tl::unexpected(std::move(failure));
}

Outcome<void> VirtualDevice::begin(ModuleId module, const model::LaunchPlan& plan,
                                   std::span<const KernelArgument> arguments) {
  for (const KernelArgument& argument : arguments) {
    const auto* pointer = std::get_if<BufferArgument>(&argument);
    if (pointer == nullptr) continue;
    buffer(pointer->buffer).prepare();
    if (const auto parts = further_parts_.find(pointer->buffer); parts != further_parts_.end()) {
      for (const BufferId part : parts->second) buffer(part).prepare();
    }
  }
  // What a launch that was left unfinished, or of which some blocks ran, wrote there is no state of the next
  // one.
  for (Module& kernel : modules_.at(module)) {
    if (!kernel.kept.empty() && kernel.data)
      kernel.data->write(std::as_bytes(std::span(kernel.program->global_image)));
  }
  for (const model::SymbolPlan& symbol : plan.symbols) {
    const vd::Buffer& source = buffer(std::get<BufferArgument>(arguments[symbol.argument]).buffer);
    std::vector<std::byte> bytes(source.bytes());
    source.read(bytes);
    for (Module& kernel : modules_.at(module)) {
      for (const vd::DataSymbol& variable : kernel.program->data_symbols) {
        if (!code::is_called(variable.name, symbol.name)) continue;
        if (bytes.size() > variable.bytes) {
          return virtual_refusal(
              "symbol_size", fmt::format("The module's variable {} has {} bytes; {} has {}.", variable.name,
                                         variable.bytes, source.name(), bytes.size()));
        }
        if (variable.space == vd::Space::constant) {
          std::memcpy(kernel.program->constant_image.data() + variable.offset, bytes.data(), bytes.size());
        } else if (kernel.data) {
          std::vector<std::byte> image(kernel.data->bytes());
          kernel.data->read(image);
          std::memcpy(image.data() + variable.offset, bytes.data(), bytes.size());
          kernel.data->write(image);
        }
      }
    }
  }
  return {};
}

Outcome<LaunchReport> VirtualDevice::launch(ModuleId module, const model::LaunchPlan& plan,
                                            std::span<const KernelArgument> arguments,
                                            const LaunchOptions& options) {
  if (auto done = begin(module, plan, arguments); !done) return tl::unexpected(done.error());
  const std::vector<const model::LaunchPlan*> kernels = model::kernels_of(plan);
  LaunchOptions own = options;
  LaunchReport all;
  std::map<std::uint32_t, std::vector<model::Evidence>> never;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    auto prepared = prepare(module, *kernels[i], arguments, own);
    if (!prepared) {
      return kernels.size() == 1
                 ? tl::unexpected(std::move(prepared).error())
                 : tl::unexpected(told(std::move(prepared).error(), i, kernels.size(),
                                       modules_.at(module)[kernels[i]->kernel].program->entry));
    }
    const Module& own_module = *prepared->module;
    const FoundVariables found(*own_module.program, own_module.data.get(), own_module.kept);
    auto report = run_one(*prepared, options.checks);
    report = with_left(std::move(report), found, prepared->launch);
    if (kernels.size() == 1) return report;
    if (!report) {
      return tl::unexpected(
          told(std::move(report).error(), i, kernels.size(), prepared->launch.program->entry));
    }
    const auto [known, fresh] = never.try_emplace(kernels[i]->kernel, report->unexecuted);
    if (!fresh) keep_common(known->second, report->unexecuted);
    all.dynamic_smem_touched = std::max(all.dynamic_smem_touched, report->dynamic_smem_touched);
    all.thread_instructions += report->thread_instructions;
    add_counts(all.counts, report->counts);
    all.lines.insert(all.lines.end(), report->lines.begin(), report->lines.end());
    own.instruction_budget -= std::min(own.instruction_budget - 1, report->thread_instructions);
  }
  for (auto& [kernel, evidence] : never) {
    for (model::Evidence& one : evidence) {
      one.message += fmt::format(" (kernel {})", modules_.at(module)[kernel].program->entry);
      all.unexecuted.push_back(std::move(one));
    }
  }
  return all;
}

Outcome<Device::Timing> VirtualDevice::time(ModuleId module, const model::LaunchPlan& plan,
                                            std::span<const std::vector<KernelArgument>> argument_sets,
                                            const TimingProtocol&) {
  LaunchOptions options;
  options.count = true;
  const std::span<const KernelArgument> arguments =
      argument_sets.empty() ? std::span<const KernelArgument>() : std::span(argument_sets.front());
  if (auto done = begin(module, plan, arguments); !done) return tl::unexpected(done.error());
  const std::vector<const model::LaunchPlan*> kernels = model::kernels_of(plan);
  Timing timing;
  timing.kind = model::LatencyKind::modelled;
  timing.samples_us = {0};
  LaunchCounts counts;
  double slowest = 0;
  std::string pipe;
  double warps = 0;  // of a multiprocessor, while the slowest kernel runs
  for (const model::LaunchPlan* kernel : kernels) {
    const auto prepared = prepare(module, *kernel, arguments, options);
    if (!prepared) return tl::unexpected(prepared.error());
    const Module& own_module = *prepared->module;
    const FoundVariables found(*own_module.program, own_module.data.get(), own_module.kept);
    const auto report = run_unchecked(*prepared);
    if (!report) return tl::unexpected(report.error());
    if (auto left = found.check(); !left) return tl::unexpected(std::move(left).error());
    const vd::ModelledLatency modelled =
        vd::model_latency(report->counts, prepared->module->resources, *kernel, target_);
    if (!std::isfinite(modelled.microseconds)) {
      return virtual_refusal("does_not_fit",
                             fmt::format("A block of {} does not fit on a multiprocessor of {} ({}).",
                                         prepared->launch.program->entry, target_.name, modelled.bottleneck));
    }
    timing.samples_us.front() += modelled.microseconds;
    timing.method = modelled.method;
    add_counts(counts, report->counts);
    if (modelled.microseconds <= slowest) continue;
    slowest = modelled.microseconds;
    pipe = modelled.bottleneck;
    warps = modelled.occupancy.warps_per_sm;
  }
  const double accesses = static_cast<double>(std::max<std::uint64_t>(counts.shared_accesses, 1));
  timing.behaviour = {
      {"pipe", pipe},
      {"sectors", fmt::format("{}", counts.global_sectors)},
      {"conflicts", fmt::format("{:.2f}", static_cast<double>(counts.shared_wavefronts) / accesses)},
      {"occupancy", fmt::format("{}", warps)},
      {"instructions", fmt::format("{}", counts.warp_instructions)}};
  if (kernels.size() > 1) timing.method = fmt::format("sum of {} kernels, {}", kernels.size(), timing.method);
  return timing;
}

}  // namespace evo::evaluators::devices
