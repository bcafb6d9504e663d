#include "evaluators/gates/launch_limits.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "evaluators/gates/drawn_shapes.hpp"

namespace evo::evaluators::gates {
namespace {

/// Of an axis that names no largest value.
constexpr std::int64_t unbounded = std::numeric_limits<std::int32_t>::max();

/// Whether `axis` may have a value when all others are small: tries launches.
class AxisProbe {
 public:
  AxisProbe(const TemplateContext& context, const model::Genome& genome,
            std::span<const std::int64_t> static_smem, const model::Axis& axis)
      : context_(context), genome_(genome), static_smem_(static_smem), axis_(axis) {
    const model::Experiment& experiment = *context.experiment;
    small_ = complete_workload(experiment, {});
    for (const model::Axis& other : experiment.problem.axes) {
      if (other.initial && !small_.axes.contains(other.name)) small_.axes[other.name] = *other.initial;
      if (!other.compile_time && other.allowed.empty()) small_.axes[other.name] = legal_value(other, 1);
    }
  }

  /// Why there is no launch; empty where there is one, or where the genome's domain has no such size.
  std::string refusal(std::int64_t value) const {
    model::Workload asked = small_;
    asked.axes[axis_.name] = value;
    const auto legal = within_domain(context_, genome_, asked);
    if (!legal || legal->axes.at(axis_.name) != value) return {};
    const auto bound = model::bind_case(context_.experiment->problem, *context_.kernel_template,
                                        context_.space, genome_, *legal);
    if (!bound) return bound.error().message;
    const auto excess = launch_excess(*bound, static_smem_, context_);
    return excess ? excess->evidence.front().message : std::string();
  }

  /// The largest value below `refused` that launches; 0 if the smallest does not.
  std::int64_t largest(std::int64_t refused) const {
    std::int64_t good = legal_value(axis_, 1), bad = refused;
    if (!refusal(good).empty()) return 0;
    while (bad - good > 1) {
      const std::int64_t middle = good + (bad - good) / 2;
      (refusal(middle).empty() ? good : bad) = middle;
    }
    return std::min(good, legal_value(axis_, good));
  }

 private:
  const TemplateContext& context_;
  const model::Genome& genome_;
  std::span<const std::int64_t> static_smem_;
  const model::Axis& axis_;
  model::Workload small_;
};

}  // namespace

std::vector<model::Evidence> unlaunchable_sizes(const TemplateContext& context, const model::Genome& genome,
                                                std::span<const std::int64_t> static_smem) {
  std::vector<model::Evidence> notes;
  for (const model::Axis& axis : context.experiment->problem.axes) {
    if (axis.compile_time || !axis.allowed.empty()) continue;
    const AxisProbe probe(context, genome, static_smem, axis);
    const std::int64_t last = legal_value(axis, axis.maximum.value_or(unbounded));
    const std::string why = probe.refusal(last);
    if (why.empty()) continue;
    const std::int64_t largest = probe.largest(last);
    notes.push_back(
        {"cannot_launch",
         fmt::format("{} up to {} is legal, but nothing beyond {} can be launched, so none was: {}",
                     axis.name, last, largest, why),
         {},
         0,
         {{"axis", axis.name}, {"largest", std::to_string(largest)}}});
  }
  return notes;
}

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
