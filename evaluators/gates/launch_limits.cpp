#include "evaluators/gates/launch_limits.hpp"

#include <fmt/format.h>

namespace evo::evaluators::gates {

std::int64_t threads_of(const model::LaunchPlan& plan) {
  return std::int64_t{plan.block[0]} * plan.block[1] * plan.block[2];
}

std::optional<model::Failure> launch_excess(const model::Case& launch,
                                            std::span<const std::int64_t> static_smem,
                                            const TemplateContext& context) {
  const model::TargetProfile& target = context.experiment->target;
  const std::vector<const model::LaunchPlan*> kernels = model::kernels_of(launch.launch);
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const model::LaunchPlan& plan = *kernels[i];
    Details details{{"case", launch.name}};
    if (kernels.size() > 1) details.emplace_back("launch", fmt::format("{} of {}", i + 1, kernels.size()));
    const std::int64_t threads = threads_of(plan);
    if (threads > target.max_threads_per_block) {
      return fail(
          model::Status::over_budget, "threads",
          fmt::format("{} threads a block; {} takes {}", threads, target.name, target.max_threads_per_block),
          details);
    }
    const std::int64_t own = plan.kernel < static_smem.size() ? static_smem[plan.kernel] : 0;
    const std::int64_t bytes = own + plan.dynamic_smem;
    if (bytes > context.smem_limit) {
      return fail(model::Status::over_budget, "shared_memory",
                  fmt::format("{} bytes of shared memory a block ({} static, {} dynamic); the limit is {}",
                              bytes, own, plan.dynamic_smem, context.smem_limit),
                  details);
    }
  }
  return std::nullopt;
}

}  // namespace evo::evaluators::gates
