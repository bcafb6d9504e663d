#include "evaluators/gates/correctness.hpp"

#include <fmt/format.h>

#include "evaluators/gates/case_buffers.hpp"
#include "evaluators/gates/judge.hpp"
#include "evaluators/gates/judgements.hpp"
#include "evaluators/gates/perturbation.hpp"

namespace evo::evaluators::gates {
namespace {

/// Launches once and hands what came of it to `judgements`; the failure of a device that refused.
std::optional<model::Failure> run_check(const JobContext& context, const Check& check,
                                        Judgements& judgements) {
  const model::Case& bound = context.job.cases[check.case_index];
  const model::InputSet& set = context.job.input_sets[check.set_index];
  Details details{{"case", bound.name},
                  {"input_set", set.name},
                  {"misalignment", fmt::format("{}", misalignment(check.alignment_shift))}};
  const auto reference = context.reference(bound, set, {.seed = context.job.input_seed});
  const auto attempt = [&]() -> Outcome<Snapshot> {
    const devices::Turn turn = context.device.take_turn();
    auto buffers = CaseBuffers::create(context.device, bound, check.alignment_shift);
    if (!buffers) return tl::make_unexpected(buffers.error());
    if (auto done = buffers->write_inputs(reference->inputs); !done) return tl::make_unexpected(done.error());
    if (auto done = buffers->poison(check.poison, check.finite_poison); !done) {
      return tl::make_unexpected(done.error());
    }
    if (auto done = context.poison_shared(check.poison, check.finite_poison); !done) {
      return tl::make_unexpected(done.error());
    }
    const auto launched =
        context.device.launch(context.module, bound.launch, buffers->arguments(), context.launch_options());
    if (!launched) return tl::make_unexpected(launched.error());
    if (auto done = context.device.synchronize(); !done) return tl::make_unexpected(done.error());
    return take_snapshot(context, *buffers, Guards::check);
  };
  auto outcome = attempt();
  if (!outcome) return located(std::move(outcome.error()), details);
  std::int64_t bytes = 0;
  for (const devices::HostBytes& read : outcome->bytes)
    bytes += static_cast<std::int64_t>(read.span().size());
  judgements.submit(
      [&tolerance = context.job.tolerance, &bound, &set, snapshot = std::move(*outcome), reference,
       details = std::move(details)] { return judge(tolerance, bound, set, snapshot, *reference, details); },
      bytes);
  return std::nullopt;
}

}  // namespace

std::optional<model::Failure> check_correctness(const JobContext& context,
                                                std::vector<model::Evidence>& notes) {
  Judgements judgements(context.on_virtual_device() ? Judgements::When::at_once : Judgements::When::beside);
  std::optional<model::Failure> refused;
  for (const Check& check : plan_checks(context.job, context.on_virtual_device())) {
    refused = run_check(context, check, judgements);
    if (refused || judgements.failed()) break;
  }
  if (auto failure = judgements.finish()) return failure;
  if (refused) return refused;
  if (auto failure = check_repeats(context)) return failure;
  return check_perturbed(context, notes);
}

}  // namespace evo::evaluators::gates
