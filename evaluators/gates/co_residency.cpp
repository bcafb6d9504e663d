#include "evaluators/gates/co_residency.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "evaluators/code/grid_barrier.hpp"
#include "evaluators/gates/between_blocks.hpp"

namespace evo::evaluators::gates {

CoResidency::CoResidency(const JobContext& context)
    : context_(context),
      may_wait_(!context.on_virtual_device() &&
                (may_wait_for_blocks(context.job.artifact.ptx) ||
                 code::waits_for_grid(context.job.artifact.ptx, context.job.artifact.entry))) {}

bool CoResidency::fits(const model::Case& bound) {
  for (const model::LaunchPlan* kernel : model::kernels_of(bound.launch)) {
    const std::string name =
        fmt::format("{}|{}|{}", kernel->kernel, fmt::join(kernel->block, ","), kernel->dynamic_smem);
    auto known = resident_.find(name);
    if (known == resident_.end()) {
      const auto resident = context_.device.resident_blocks(context_.module, *kernel);
      // What the device cannot say shows when it is launched.
      known = resident_.emplace(name, resident && *resident ? **resident : 0).first;
    }
    if (known->second == 0) continue;
    most_ = std::max(most_, known->second);
    const std::uint64_t blocks = std::uint64_t{kernel->grid[0]} * kernel->grid[1] * kernel->grid[2];
    if (blocks > known->second) return false;
  }
  return true;
}

bool CoResidency::allows(const Check& check) {
  if (!may_wait_) return true;
  const CaseUse use = use_of(context_.job, check.case_index);
  if (use == CaseUse::workload || use == CaseUse::odd || fits(context_.job.cases[check.case_index]))
    return true;
  ++launches_;
  return false;
}

std::optional<model::Evidence> CoResidency::left_out() const {
  if (launches_ == 0) return std::nullopt;
  return model::Evidence{"co_residency",
                         fmt::format("blocks may wait for each other, and the device has {} of them at work "
                                     "at once: {} launches of more "
                                     "blocks, which no workload asks for, were not made",
                                     most_, launches_),
                         {},
                         0,
                         {{"blocks", fmt::format("{}", most_)}, {"launches", fmt::format("{}", launches_)}}};
}

}  // namespace evo::evaluators::gates
