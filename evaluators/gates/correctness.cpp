#include "evaluators/gates/correctness.hpp"

#include <fmt/format.h>

#include "evaluators/gates/case_buffers.hpp"
#include "evaluators/gates/judge.hpp"

namespace evo::evaluators::gates {
namespace {

std::optional<model::Failure> run_check(const JobContext& context, const Check& check) {
  const model::Case& bound = context.job.cases[check.case_index];
  const model::InputSet& set = context.job.input_sets[check.set_index];
  const Details details{{"case", bound.name},
                        {"input_set", set.name},
                        {"misalignment", fmt::format("{}", misalignment(check.alignment_shift))}};
  const auto reference = context.reference(bound, set, {.seed = context.job.input_seed});
  const auto attempt = [&]() -> Outcome<std::optional<model::Failure>> {
    auto buffers = CaseBuffers::create(context.device, bound, check.alignment_shift);
    if (!buffers) return tl::make_unexpected(buffers.error());
    if (auto done = buffers->write_inputs(reference->inputs); !done) return tl::make_unexpected(done.error());
    if (auto done = buffers->poison(check.poison, check.finite_poison); !done) {
      return tl::make_unexpected(done.error());
    }
    const auto launched =
        context.device.launch(context.module, bound.launch, buffers->arguments(), context.launch_options());
    if (!launched) return tl::make_unexpected(launched.error());
    if (auto done = context.device.synchronize(); !done) return tl::make_unexpected(done.error());
    return judge(context, bound, set, *buffers, *reference, details);
  };
  auto outcome = attempt();
  if (!outcome) return located(std::move(outcome.error()), details);
  return std::move(*outcome);
}

}  // namespace

std::optional<model::Failure> check_correctness(const JobContext& context) {
  for (const Check& check : plan_checks(context.job, context.on_virtual_device())) {
    if (auto failure = run_check(context, check)) return failure;
  }
  return check_repeats(context);
}

}  // namespace evo::evaluators::gates
