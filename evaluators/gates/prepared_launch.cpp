#include "evaluators/gates/prepared_launch.hpp"

#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "evaluators/gates/case_buffers.hpp"
#include "evaluators/gates/compare_outputs.hpp"
#include "evaluators/gates/prefetch.hpp"
#include "evaluators/gates/stretched_launch.hpp"
#include "evaluators/gates/unusual_scalars.hpp"
#include "evaluators/oracle/specials.hpp"

namespace evo::evaluators::gates {
namespace {

/// Floating-point scalars that this case shows with another value than the first one has: nothing else says
/// with which number a kernel was refused.
std::string other_scalars(const model::Case& first, const model::Case& bound) {
  std::string others;
  for (std::size_t i = 0; i < bound.arguments.size() && i < first.arguments.size(); ++i) {
    const model::BoundArgument& scalar = bound.arguments[i];
    if (scalar.role != model::ArgumentRole::scalar || !model::is_floating(scalar.dtype)) continue;
    if (scalar.scalar_float == first.arguments[i].scalar_float) continue;
    others += fmt::format("{}{}={:.9g}", others.empty() ? "" : ",", scalar.name, scalar.scalar_float);
  }
  return others;
}

}  // namespace

Details details_of(const DeviceJob& job, const Check& check) {
  const model::Case& bound = job.cases[check.case_index];
  Details details{{"case", bound.name},
                  {"axes", axes_text(bound)},
                  {"input_set", job.input_sets[check.set_index].name},
                  {"misalignment", text_of(check.placement, bound)}};
  if (bound.undeclared_scalar && use_of(job, check.case_index) == CaseUse::ranged) {
    const model::BoundArgument& scalar = bound.arguments[*bound.undeclared_scalar];
    details.emplace_back(
        "scalar", fmt::format("{} is {}, which its range has", scalar.name,
                              model::is_floating(scalar.dtype) ? fmt::format("{}", scalar.scalar_float)
                                                               : fmt::format("{}", scalar.scalar_integer)));
    if (!model::is_floating(scalar.dtype))
      details.emplace_back("ranged_integer", fmt::format("{}={}", scalar.name, scalar.scalar_integer));
  } else if (bound.undeclared_scalar) {
    const std::size_t scalar = *bound.undeclared_scalar;
    details.emplace_back(
        "scalar",
        fmt::format("{} is {} instead of {}, which the reference answers; where kernels are written "
                    "for {} alone, say fixed: true at it, or range: [LEAST, LARGEST]",
                    bound.arguments[scalar].name, bound.arguments[scalar].scalar_integer,
                    job.cases.front().arguments[scalar].scalar_integer,
                    job.cases.front().arguments[scalar].scalar_integer));
    if (is_far_integer(job.cases.front(), bound, scalar))
      details.emplace_back("far_integer", fmt::format("{}={}", bound.arguments[scalar].name,
                                                      bound.arguments[scalar].scalar_integer));
  }
  if (const std::string others = other_scalars(job.cases.front(), bound); !others.empty())
    details.emplace_back("scalars", others);
  if (use_of(job, check.case_index) == CaseUse::alone) {
    for (const auto& [axis, value] : bound.axes) {
      const std::int64_t largest = largest_of(job, axis);
      if (value <= largest) continue;
      details.emplace_back("size",
                           fmt::format("{} is {}, and no case that asks for more of the other sizes goes "
                                       "beyond {}; where the kernel is for fewer alone, say for how many: "
                                       "max={} at that axis",
                                       axis, value, largest, largest));
    }
  }
  if (oracle::parameter(job.input_sets[check.set_index], oracle::inferred_parameter, 0) != 0)
    details.emplace_back(
        "special",
        "the reference looks for NaN or infinity, so they are shown; where inputs have none, "
        "`special: []` at the argument says so");
  if (!check.blocks.empty()) details.emplace_back("blocks", fmt::format("{}", fmt::join(check.blocks, ",")));
  return details;
}

PreparedLaunch prepare_launch(const JobContext& context, const Check& check) {
  const model::Case& bound = context.job.cases[check.case_index];
  const model::InputSet& set = context.job.input_sets[check.set_index];
  auto reference =
      context.reference(bound, set, {.seed = context.job.input_seed}, is_conditioned(context, check));
  static_cast<void>(input_digests(context.device, *reference));
  auto inputs = staged(context.device, reference->inputs);
  return {check, &bound, std::move(reference), std::move(inputs), details_of(context.job, check)};
}

}  // namespace evo::evaluators::gates
