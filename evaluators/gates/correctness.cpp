#include "evaluators/gates/correctness.hpp"

#include <algorithm>
#include <memory>
#include <span>

#include <fmt/format.h>

#include "evaluators/gates/case_buffers.hpp"
#include "evaluators/gates/judge.hpp"
#include "evaluators/gates/judgements.hpp"
#include "evaluators/gates/perturbation.hpp"

namespace evo::evaluators::gates {
namespace {

/// A launch of the plan, with all that needs no device at hand.
struct Prepared {
  const Check* check;
  const model::Case* bound;
  const model::InputSet* set;
  std::shared_ptr<const oracle::ReferenceData> reference;
  std::vector<devices::HostBytes> inputs;
  Details details;
};

Prepared prepare(const JobContext& context, const Check& check) {
  const model::Case& bound = context.job.cases[check.case_index];
  const model::InputSet& set = context.job.input_sets[check.set_index];
  auto reference = context.reference(bound, set, {.seed = context.job.input_seed});
  auto inputs = staged(context.device, reference->inputs);
  return {&check,
          &bound,
          &set,
          std::move(reference),
          std::move(inputs),
          {{"case", bound.name},
           {"input_set", set.name},
           {"misalignment", fmt::format("{}", misalignment(check.alignment_shift))}}};
}

Outcome<Snapshot> launch(const JobContext& context, const Prepared& prepared) {
  const Check& check = *prepared.check;
  auto buffers = CaseBuffers::create(context.device, *prepared.bound, check.alignment_shift);
  if (!buffers) return tl::make_unexpected(buffers.error());
  if (auto done = buffers->write_inputs(prepared.inputs); !done) return tl::make_unexpected(done.error());
  if (auto done = buffers->poison(check.poison, check.finite_poison); !done) {
    return tl::make_unexpected(done.error());
  }
  if (auto done = context.poison_shared(check.poison, check.finite_poison); !done) {
    return tl::make_unexpected(done.error());
  }
  const auto launched = context.device.launch(context.module, prepared.bound->launch, buffers->arguments(),
                                              context.launch_options());
  if (!launched) return tl::make_unexpected(launched.error());
  if (auto done = context.device.synchronize(); !done) return tl::make_unexpected(done.error());
  return take_snapshot(context, *buffers, Guards::check);
}

/// Makes these launches in one turn and hands what came of them to `judgements`; the failure of a device that
/// refused one.
std::optional<model::Failure> run_checks(const JobContext& context, std::span<const Check> checks,
                                         Judgements& judgements) {
  std::vector<Prepared> group;
  for (const Check& check : checks) group.push_back(prepare(context, check));
  std::vector<Snapshot> snapshots;
  std::optional<model::Failure> refused;
  {
    const devices::Turn turn = context.device.take_turn();
    for (const Prepared& prepared : group) {
      auto outcome = launch(context, prepared);
      if (!outcome) {
        refused = located(std::move(outcome.error()), prepared.details);
        break;
      }
      snapshots.push_back(std::move(*outcome));
    }
  }
  for (std::size_t i = 0; i < snapshots.size(); ++i) {
    std::int64_t bytes = 0;
    for (const devices::HostBytes& read : snapshots[i].bytes)
      bytes += static_cast<std::int64_t>(read.span().size());
    judgements.submit(
        [&tolerance = context.job.tolerance, one = std::move(group[i]), snapshot = std::move(snapshots[i])] {
          return judge(tolerance, *one.bound, *one.set, snapshot, *one.reference, one.details);
        },
        bytes);
  }
  return refused;
}

/// How many of `checks` go into one turn, from the first on. Where a judgement is made at once, none is
/// launched behind one that fails.
std::size_t first_group(const JobContext& context, std::span<const Check> checks) {
  if (context.on_virtual_device()) return 1;
  std::size_t count = 1;
  std::size_t room = sets_a_turn(context.job.cases[checks[0].case_index]);
  while (count < checks.size() && count < room) {
    room = std::min(room, sets_a_turn(context.job.cases[checks[count].case_index]));
    if (count < room) ++count;
  }
  return count;
}

}  // namespace

std::optional<model::Failure> check_correctness(const JobContext& context,
                                                std::vector<model::Evidence>& notes) {
  Judgements judgements(context.on_virtual_device() ? Judgements::When::at_once : Judgements::When::beside);
  std::optional<model::Failure> refused;
  const std::vector<Check> plan = plan_checks(context.job, context.on_virtual_device());
  for (std::span<const Check> left = plan; !left.empty() && !refused && !judgements.failed();) {
    const std::size_t count = first_group(context, left);
    refused = run_checks(context, left.first(count), judgements);
    left = left.subspan(count);
  }
  if (auto failure = judgements.finish()) return failure;
  if (refused) return refused;
  if (auto failure = check_repeats(context)) return failure;
  return check_perturbed(context, notes);
}

}  // namespace evo::evaluators::gates
