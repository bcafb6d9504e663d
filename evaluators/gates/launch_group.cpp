#include "evaluators/gates/launch_group.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "evaluators/gates/case_buffers.hpp"

namespace evo::evaluators::gates {
namespace {

/// Buffers as each launch is to find them. Before the first launch: the device waits for those under way
/// before it takes memory.
Outcome<std::vector<CaseBuffers>> filled(const JobContext& context, std::span<const PreparedLaunch> group) {
  std::vector<CaseBuffers> sets;
  sets.reserve(group.size());
  for (const PreparedLaunch& prepared : group) {
    const Check& check = prepared.check;
    auto buffers =
        CaseBuffers::create(context.device, *prepared.bound, check.placement, check.poison % 2 != 0);
    if (!buffers) return tl::make_unexpected(buffers.error());
    if (auto done = buffers->write_inputs(prepared.inputs); !done) return tl::make_unexpected(done.error());
    if (auto done = buffers->poison(check.poison, check.finite_poison); !done)
      return tl::make_unexpected(done.error());
    sets.push_back(std::move(*buffers));
  }
  return sets;
}

Outcome<void> launch_all(const JobContext& context, std::span<const PreparedLaunch> group,
                         std::span<const CaseBuffers> sets) {
  for (std::size_t i = 0; i < group.size(); ++i) {
    const Check& check = group[i].check;
    if (auto done = context.poison_shared(check.poison, check.finite_poison); !done) return done;
    devices::LaunchOptions options = context.launch_options(*group[i].bound);
    options.counted = true;
    const auto launched =
        context.device.launch(context.module, group[i].bound->launch, sets[i].arguments(), options);
    if (!launched) return tl::make_unexpected(launched.error());
  }
  return context.device.synchronize();
}

}  // namespace

bool may_go_together(const JobContext& context) {
  return !context.on_virtual_device() && context.job.artifact.kept.empty();
}

GroupOutcome launch_together(const JobContext& context, std::span<const PreparedLaunch> group) {
  const auto refused = [&](model::Failure failure, std::size_t launch) {
    if (context.device.lost()) {
      const std::size_t last = group.size() - 1;
      return GroupOutcome{{}, located(std::move(failure), group[std::min(launch, last)].details)};
    }
    return GroupOutcome{
        {},
        located(std::move(failure),
                {{"launches", fmt::format("{} in one turn, from case {} to case {}", group.size(),
                                          group.front().bound->name, group.back().bound->name)}}),
        true};
  };
  auto sets = filled(context, group);
  if (!sets) {
    GroupOutcome outcome = refused(std::move(sets.error()), 0);
    // Memory for one may be there where that for eight is not: nothing was launched that could be at fault.
    if (outcome.one_by_one) outcome.refused.reset();
    return outcome;
  }
  if (auto done = launch_all(context, group, *sets); !done) {
    GroupOutcome outcome = refused(std::move(done.error()), context.device.launches_ended());
    if (!outcome.one_by_one) return outcome;
    // Those that the device took are still under way.
    if (auto ended = context.device.synchronize(); !ended)
      return refused(std::move(ended.error()), context.device.launches_ended());
    return outcome;
  }
  std::vector<const oracle::ReferenceData*> given;
  for (const PreparedLaunch& prepared : group) given.push_back(prepared.reference.get());
  auto snapshots = take_snapshots(context, *sets, given);
  if (!snapshots) return refused(std::move(snapshots.error()), group.size() - 1);
  return {std::move(*snapshots)};
}

}  // namespace evo::evaluators::gates
