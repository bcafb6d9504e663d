#include "evaluators/gates/stretched_launch.hpp"

#include <algorithm>

#include "evaluators/gates/launch_budget.hpp"

namespace evo::evaluators::gates {
namespace {

bool is_endless(const model::Failure& failure) {
  return std::ranges::any_of(failure.evidence, [](const model::Evidence& item) {
    return std::ranges::any_of(item.details, [](const auto& detail) { return detail.first == "endless"; });
  });
}

}  // namespace

Outcome<bool> ends_in_time(const JobContext& context, const Check& check, const CaseBuffers& buffers) {
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
  if (!report) {
    if (is_endless(report.error())) return tl::make_unexpected(report.error());
    if (report.error().status != model::Status::timeout) return true;
    if (options.blocks.empty() || !context.job.whole_launches) return false;
    // They may have waited for the others.
    options.blocks.clear();
    const auto whole = context.device.launch(context.module, bound.launch, buffers.arguments(), options);
    return whole || whole.error().status != model::Status::timeout;
  }
  if (!bound.launch.then.empty()) return report->thread_instructions <= budget;
  const std::uint64_t asked = check.blocks.empty() ? blocks : check.blocks.size();
  return report->thread_instructions <= budget / std::max<std::uint64_t>(asked, 2) * 2;
}

}  // namespace evo::evaluators::gates
