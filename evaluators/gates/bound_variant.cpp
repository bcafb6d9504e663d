#include "evaluators/gates/bound_variant.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "evaluators/oracle/layout.hpp"
#include "model/domain.hpp"
#include "model/edits.hpp"

namespace evo::evaluators::gates {
namespace {

using Axes = std::map<std::string, std::int64_t, std::less<>>;

/// For a template that names no sanitize shapes: the lightest workload, and the two heaviest light odd
/// shapes.
std::vector<model::Case> default_sanitize_shapes(const BoundVariant& bound) {
  constexpr double light = 4194304;  // 2^22 floating-point operations: milliseconds with all checks
  const auto lighter = [](const model::Case& a, const model::Case& b) { return a.flops < b.flops; };
  std::vector<model::Case> shapes;
  if (!bound.workloads.empty())
    shapes.push_back(*std::min_element(bound.workloads.begin(), bound.workloads.end(), lighter));
  std::vector<model::Case> odd;
  for (const model::Case& shape : bound.check_workloads) {
    if (shape.flops <= light && !oracle::has_64bit_strides(shape)) odd.push_back(shape);
  }
  std::stable_sort(odd.begin(), odd.end(), lighter);
  for (std::size_t i = 0; i < 2 && !odd.empty(); ++i, odd.pop_back()) shapes.push_back(odd.back());
  return shapes;
}

model::Expected<model::Workload> sanitize_workload(const TemplateContext& context,
                                                   const model::Genome& genome, std::size_t index) {
  model::Workload workload;
  workload.name = fmt::format("sanitize {}", index + 1);
  const model::Environment environment = context.environment(genome);
  for (const auto& [axis, expression] : context.kernel_template->sanitize_shapes[index]) {
    const auto value = expression.evaluate_integer(environment);
    if (!value) return tl::make_unexpected(value.error());
    workload.axes.insert_or_assign(axis, *value);
  }
  return complete_workload(*context.experiment, std::move(workload));
}

/// The same sizes under another name: rounding to a domain makes many odd shapes one.
bool occurs(const std::vector<model::Case>& cases, const model::Workload& workload) {
  return std::any_of(cases.begin(), cases.end(), [&](const model::Case& known) {
    return std::all_of(workload.axes.begin(), workload.axes.end(), [&](const auto& axis) {
      const auto at = known.axes.find(axis.first);
      return at != known.axes.end() && at->second == axis.second;
    });
  });
}

}  // namespace

std::optional<model::Workload> within_domain(const TemplateContext& context, const model::Genome& genome,
                                             model::Workload workload) {
  if (context.kernel_template->domain.empty()) return workload;
  return model::within_domain(context.experiment->problem, *context.kernel_template,
                              context.environment(genome), std::move(workload));
}

model::Workload complete_workload(const model::Experiment& experiment, model::Workload workload) {
  for (const auto& [name, value] : model::compile_time_axes(experiment))
    workload.axes.insert_or_assign(name, value);
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
  context.kernel_template = &kernel;
  context.space = model::bind_space(experiment.problem, kernel, model::compile_time_axes(experiment),
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
    auto resolved =
        model::bind_case(experiment.problem, *context.kernel_template, context.space, genome, workload);
    if (!resolved) return tl::make_unexpected(resolved.error());
    cases.push_back(std::move(*resolved));
    return {};
  };
  for (const model::Workload& workload : experiment.workloads) {
    if (auto added = add(bound.workloads, workload); !added) return tl::make_unexpected(added.error());
  }
  for (const model::Workload& workload : experiment.problem.check_workloads) {
    const auto near = within_domain(context, genome, complete_workload(experiment, workload));
    if (!near || (!context.kernel_template->domain.empty() && occurs(bound.check_workloads, *near))) continue;
    if (auto added = add(bound.check_workloads, *near); !added) {
      return tl::make_unexpected(added.error());
    }
  }
  for (std::size_t i = 0; i < context.kernel_template->sanitize_shapes.size(); ++i) {
    const auto workload = sanitize_workload(context, genome, i);
    if (!workload) return tl::make_unexpected(workload.error());
    const auto near = within_domain(context, genome, *workload);
    if (!near) continue;
    if (auto added = add(bound.sanitize_shapes, *near); !added) return tl::make_unexpected(added.error());
  }
  if (bound.sanitize_shapes.empty()) bound.sanitize_shapes = default_sanitize_shapes(bound);
  const auto predicted = model::predicted_static_smem_of_all(*context.kernel_template, context.space, genome);
  if (!predicted) return tl::make_unexpected(predicted.error());
  bound.static_smem = *predicted;
  // What the template says of its text does not hold of another one: an edit may pad an array, or move one.
  if (!model::edits_of(genome).empty()) std::ranges::fill(bound.static_smem, std::nullopt);
  return bound;
}

}  // namespace evo::evaluators::gates
