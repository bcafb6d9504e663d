#include "evaluators/gates/launch_limits.hpp"

#include <fmt/format.h>

namespace evo::evaluators::gates {

std::int64_t threads_of(const model::LaunchPlan& plan) {
  return std::int64_t{plan.block[0]} * plan.block[1] * plan.block[2];
}

std::optional<model::Failure> launch_excess(const model::Case& launch, std::int64_t static_smem,
                                            const TemplateContext& context) {
  const model::TargetProfile& target = context.experiment->target;
  const std::int64_t threads = threads_of(launch.launch);
  if (threads > target.max_threads_per_block) {
    return fail(
        model::Status::over_budget, "threads",
        fmt::format("{} threads a block; {} takes {}", threads, target.name, target.max_threads_per_block),
        {{"case", launch.name}});
  }
  const std::int64_t bytes = static_smem + launch.launch.dynamic_smem;
  if (bytes > context.smem_limit) {
    return fail(model::Status::over_budget, "shared_memory",
                fmt::format("{} bytes of shared memory a block ({} static, {} dynamic); the limit is {}",
                            bytes, static_smem, launch.launch.dynamic_smem, context.smem_limit),
                {{"case", launch.name}});
  }
  return std::nullopt;
}

}  // namespace evo::evaluators::gates
