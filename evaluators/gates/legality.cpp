#include "evaluators/gates/legality.hpp"

#include <fmt/format.h>

#include "evaluators/gates/launch_limits.hpp"

namespace evo::evaluators::gates {

using model::Status;

Outcome<BoundVariant> check_legality(const TemplateContext& context, const model::Variant& variant) {
  if (const auto violation = context.space.violation(variant.genome)) {
    return tl::make_unexpected(
        fail(Status::illegal, "constraint", *violation, {}, context.kernel->source_file));
  }
  auto bound = bind_variant(context, variant.genome);
  if (!bound) {
    const model::Error& error = bound.error();
    return tl::make_unexpected(
        fail(Status::illegal, "launch_plan", error.message, {}, error.file, error.line));
  }
  for (const auto* cases : {&bound->workloads, &bound->odd_shapes, &bound->sanitize_shapes}) {
    for (const model::Case& launch : *cases) {
      if (auto excess = launch_excess(launch, bound->static_smem, context)) {
        excess->status = Status::illegal;
        return tl::make_unexpected(std::move(*excess));
      }
    }
  }
  return std::move(*bound);
}

}  // namespace evo::evaluators::gates
