#include "evaluators/gates/stretched_launch.hpp"

#include <algorithm>

#include "evaluators/gates/launch_budget.hpp"

namespace evo::evaluators::gates {

bool ends_in_time(const JobContext& context, const Check& check, const CaseBuffers& buffers) {
  if (!context.on_virtual_device() || !is_stretched(context.job, check.case_index)) return true;
  const model::Case& bound = context.job.cases[check.case_index];
  devices::LaunchOptions options = context.launch_options(bound);
  options.checks = devices::CheckLevel::none;
  const std::uint64_t budget = stretched_budget(context.job.settings, bound);
  options.instruction_budget = budget;
  const auto& grid = bound.launch.grid;
  const std::uint64_t blocks = std::uint64_t{grid[0]} * grid[1] * grid[2];
  // Of several kernels each needs all that the one before wrote.
  if (bound.launch.then.empty()) options.blocks = {blocks / 2, blocks - 1};
  const auto report = context.device.launch(context.module, bound.launch, buffers.arguments(), options);
  if (!report) return report.error().status != model::Status::timeout;
  if (!bound.launch.then.empty()) return report->thread_instructions <= budget;
  const std::uint64_t asked = check.blocks.empty() ? blocks : check.blocks.size();
  return report->thread_instructions <= budget / std::max<std::uint64_t>(asked, 2) * 2;
}

}  // namespace evo::evaluators::gates
