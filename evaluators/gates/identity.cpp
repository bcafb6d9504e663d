#include "evaluators/gates/identity.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "model/hash.hpp"
#include "model/tensor_map.hpp"

namespace evo::evaluators::gates {
namespace {

void add_plans(model::Hasher& hasher, const std::vector<model::Case>& cases) {
  for (const model::Case& bound : cases) {
    const model::LaunchPlan& plan = bound.launch;
    hasher.add(fmt::format("{} {},{},{} {},{},{} {}", bound.name, plan.grid[0], plan.grid[1], plan.grid[2],
                           plan.block[0], plan.block[1], plan.block[2], plan.dynamic_smem));
    for (const model::TensorMapPlan& map : plan.tensor_maps) hasher.add(model::text_of(map));
    // What a plan of one kernel that takes all arguments does not have.
    if (plan.arguments || !plan.then.empty() || !plan.scalars.empty()) hasher.add(model::text_of(plan));
  }
}

/// A workspace that is as large as the genome says: with another one the same code may reach past its end.
void add_sizes_of_genes(model::Hasher& hasher, const model::Argument& argument, const model::Space& space,
                        const BoundVariant& bound) {
  const bool of_genes = std::any_of(argument.shape.begin(), argument.shape.end(), [&](const auto& size) {
    return std::any_of(size.names().begin(), size.names().end(),
                       [&](const std::string& name) { return space.find(name) != nullptr; });
  });
  if (!of_genes) return;
  for (const auto* cases : {&bound.workloads, &bound.check_workloads}) {
    for (const model::Case& one : *cases) {
      for (const model::BoundArgument& each : one.arguments) {
        if (each.name == argument.name) hasher.add(fmt::format("{} {}", each.name, each.extent()));
      }
    }
  }
}

}  // namespace

std::string identity_of(const TemplateContext& context, const CompiledVariant& compiled,
                        const BoundVariant& bound) {
  model::Hasher hasher;
  hasher.add(compiled.artifact.entry).add(compiled.artifact.arch).add(compiled.artifact.code_hash);
  for (const model::FurtherKernel& kernel : compiled.artifact.others) hasher.add(kernel.entry);
  if (compiled.device_artifact) hasher.add(compiled.device_artifact->code_hash);
  add_plans(hasher, bound.workloads);
  add_plans(hasher, bound.check_workloads);
  for (const model::Argument& argument : context.experiment->problem.arguments)
    add_sizes_of_genes(hasher, argument, context.space, bound);
  return hasher.finish();
}

}  // namespace evo::evaluators::gates
