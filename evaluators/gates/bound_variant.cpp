#include "evaluators/gates/bound_variant.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace evo::evaluators::gates {
namespace {

using Axes = std::map<std::string, std::int64_t, std::less<>>;

Axes compile_time_axes(const model::Experiment& experiment) {
  Axes axes;
  for (const model::Axis& axis : experiment.problem.axes) {
    if (!axis.compile_time) continue;
    for (const model::Workload& workload : experiment.workloads) {
      if (const auto found = workload.axes.find(axis.name); found != workload.axes.end()) {
        axes.emplace(axis.name, found->second);
      }
    }
  }
  return axes;
}

model::Expected<model::Workload> sanitize_workload(const TemplateContext& context,
                                                   const model::Genome& genome, std::size_t index) {
  model::Workload workload;
  workload.name = fmt::format("sanitize {}", index + 1);
  const model::Environment environment = context.environment(genome);
  for (const auto& [axis, expression] : context.kernel->sanitize_shapes[index]) {
    const auto value = expression.evaluate_integer(environment);
    if (!value) return tl::make_unexpected(value.error());
    workload.axes.insert_or_assign(axis, *value);
  }
  return complete_workload(*context.experiment, std::move(workload));
}

}  // namespace

model::Workload complete_workload(const model::Experiment& experiment, model::Workload workload) {
  for (const auto& [name, value] : compile_time_axes(experiment)) workload.axes.insert_or_assign(name, value);
  if (experiment.workloads.empty()) return workload;
  for (const model::Axis& axis : experiment.problem.axes) {
    if (axis.initial || workload.axes.contains(axis.name)) continue;
    const Axes& first = experiment.workloads.front().axes;
    if (const auto found = first.find(axis.name); found != first.end()) {
      workload.axes.emplace(axis.name, found->second);
    }
  }
  return workload;
}

model::Environment TemplateContext::environment(const model::Genome& genome) const {
  model::Environment values = space.fixed();
  for (const auto& [name, value] : genome.values()) values.insert_or_assign(name, value);
  return values;
}

TemplateContext make_context(const model::Experiment& experiment, const model::Template& kernel) {
  TemplateContext context;
  context.experiment = &experiment;
  context.kernel = &kernel;
  context.space = model::bind_space(experiment.problem, kernel, compile_time_axes(experiment),
                                    experiment.target, experiment.smem_limit);
  const std::int64_t limit = experiment.target.smem_per_block_optin;
  context.smem_limit = experiment.smem_limit > 0 ? std::min(experiment.smem_limit, limit) : limit;
  return context;
}

model::Expected<BoundVariant> bind_variant(const TemplateContext& context, const model::Genome& genome) {
  const model::Experiment& experiment = *context.experiment;
  BoundVariant bound;
  const auto add = [&](std::vector<model::Case>& cases,
                       const model::Workload& workload) -> model::Expected<void> {
    auto resolved = model::bind_case(experiment.problem, *context.kernel, context.space, genome, workload);
    if (!resolved) return tl::make_unexpected(resolved.error());
    cases.push_back(std::move(*resolved));
    return {};
  };
  for (const model::Workload& workload : experiment.workloads) {
    if (auto added = add(bound.workloads, workload); !added) return tl::make_unexpected(added.error());
  }
  for (const model::Workload& workload : experiment.problem.check_workloads) {
    if (auto added = add(bound.odd_shapes, complete_workload(experiment, workload)); !added) {
      return tl::make_unexpected(added.error());
    }
  }
  for (std::size_t i = 0; i < context.kernel->sanitize_shapes.size(); ++i) {
    const auto workload = sanitize_workload(context, genome, i);
    if (!workload) return tl::make_unexpected(workload.error());
    if (auto added = add(bound.sanitize_shapes, *workload); !added) return tl::make_unexpected(added.error());
  }
  const auto predicted = model::predicted_static_smem(*context.kernel, context.space, genome);
  if (!predicted) return tl::make_unexpected(predicted.error());
  bound.static_smem = *predicted;
  return bound;
}

}  // namespace evo::evaluators::gates
