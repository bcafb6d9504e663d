#include "evaluators/gates/case_builder.hpp"

#include <fmt/format.h>

#include "evaluators/gates/launch_limits.hpp"
#include "evaluators/gates/scalar_order.hpp"

namespace evo::evaluators::gates {

CaseBuilder::CaseBuilder(const TemplateContext& context, const model::Genome& genome,
                         std::vector<std::int64_t> static_smem, std::uint64_t entropy)
    : context_(context),
      genome_(genome),
      static_smem_(std::move(static_smem)),
      stream_({.seed = entropy, .generation = 0, .slot = 0, .purpose = "changed parameters"}) {}

void CaseBuilder::add(CaseUse use, const model::Workload& workload, const std::string& name,
                      const model::CaseChanges& changes, std::uint64_t reference_budget) {
  auto bound = bind(workload, changes);
  if (!bound || launch_excess(*bound, static_smem_, context_)) return;
  bound->name = name;
  bound->reference_budget = reference_budget;
  cases_.push_back({use, std::move(*bound)});
}

void CaseBuilder::add_named(CaseUse use, const model::Workload& workload, const model::Case& bound,
                            const model::CaseChanges& changes) {
  std::string name = workload.name;
  for (const auto& [i, number] : changes.scalars)
    name += fmt::format(", {} = {:.15g}", bound.arguments[i].name, number);
  add(use, workload, name, changes, budget_of_a_scalar);
}

void CaseBuilder::add_scalar(CaseUse use, const model::Workload& workload, const model::Case& bound,
                             std::size_t scalar, double value) {
  model::CaseChanges changes;
  changes.scalars[scalar] = value;
  if (use == CaseUse::ranged) changes.scalars = in_order(problem(), bound, scalar, value);
  changes.undeclared_scalar = scalar;
  add_named(use, workload, bound, changes);
}

model::Expected<model::Case> CaseBuilder::bind(const model::Workload& workload,
                                               const model::CaseChanges& changes) const {
  return model::bind_case(problem(), *context_.kernel_template, context_.space, genome_, workload, changes);
}

bool CaseBuilder::is_beyond_range(std::size_t scalar, double value) const {
  const auto& range = problem().arguments[scalar].range;
  return range && !range->has(value);
}

}  // namespace evo::evaluators::gates
