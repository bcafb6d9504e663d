// The legality gate: what can be said of a genome before anything is compiled.
#pragma once

#include "evaluators/gates/bound_variant.hpp"
#include "evaluators/gates/evidence.hpp"

namespace evo::evaluators::gates {

/// The resolved launches, or `illegal` with the reason
///   constraint     a gene's value or a constraint of the template is violated,
///   domain         a workload of the experiment is no shape for the genome (`shapes` of the template),
///   launch_plan    a size, grid or block cannot be resolved (file and line of the expression),
///   threads        a block has more threads than the target takes,
///   shared_memory  a launch needs more shared memory, by the template's own formulas, than the limit.
[[nodiscard]] Outcome<BoundVariant> check_legality(const TemplateContext& context,
                                                   const model::Variant& variant);

}  // namespace evo::evaluators::gates
