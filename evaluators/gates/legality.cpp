#include "evaluators/gates/legality.hpp"

#include <fmt/format.h>

#include "evaluators/gates/launch_limits.hpp"
#include "model/domain.hpp"

namespace evo::evaluators::gates {

using model::Status;

namespace {

std::optional<model::Failure> wrong_arch(const TemplateContext& context) {
  const std::string& arch = context.kernel_template->arch;
  const model::TargetProfile& target = context.experiment->target;
  if (arch.empty() || arch == target.arch) return std::nullopt;
  return fail(Status::illegal, "arch",
              fmt::format("template {} is written for {}; the target {} is {}", context.kernel_template->name,
                          arch, target.name, target.arch),
              {}, context.kernel_template->source_file);
}

}  // namespace

Outcome<BoundVariant> check_legality(const TemplateContext& context, const model::Variant& variant) {
  if (auto failure = wrong_arch(context)) return tl::make_unexpected(std::move(*failure));
  if (const auto violation = context.space.violation(variant.genome)) {
    return tl::make_unexpected(
        fail(Status::illegal, "constraint", *violation, {}, context.kernel_template->source_file));
  }
  for (const model::Workload& workload : context.experiment->workloads) {
    if (auto why = model::domain_violation(context.experiment->problem, *context.kernel_template,
                                           context.environment(variant.genome), workload)) {
      return tl::make_unexpected(fail(Status::illegal, "domain",
                                      fmt::format("workload {}: {}", workload.name, *why),
                                      {{"case", workload.name}}, context.kernel_template->source_file));
    }
  }
  auto bound = bind_variant(context, variant.genome);
  if (!bound) {
    const model::Error& error = bound.error();
    return tl::make_unexpected(
        fail(Status::illegal, "launch_plan", error.message, {}, error.file, error.line));
  }
  // What a template does not predict is asked of the compiler: resources.cpp.
  std::vector<std::int64_t> predicted;
  for (const auto& bytes : bound->static_smem) predicted.push_back(bytes.value_or(0));
  for (const auto* cases : {&bound->workloads, &bound->check_workloads, &bound->sanitize_shapes}) {
    for (const model::Case& launch : *cases) {
      if (auto excess = launch_excess(launch, predicted, context)) {
        excess->status = Status::illegal;
        return tl::make_unexpected(std::move(*excess));
      }
    }
  }
  return std::move(*bound);
}

}  // namespace evo::evaluators::gates
