#include "evaluators/gates/correctness.hpp"

#include <algorithm>
#include <set>
#include <span>

#include <fmt/format.h>

#include "evaluators/gates/async_checks.hpp"
#include "evaluators/gates/between_blocks.hpp"
#include "evaluators/gates/case_buffers.hpp"
#include "evaluators/gates/co_residency.hpp"
#include "evaluators/gates/compare_outputs.hpp"
#include "evaluators/gates/correct_for.hpp"
#include "evaluators/gates/grown_bounds.hpp"
#include "evaluators/gates/launch_effort.hpp"
#include "evaluators/gates/launch_group.hpp"
#include "evaluators/gates/perturbation.hpp"
#include "evaluators/gates/prefetch.hpp"
#include "evaluators/gates/prepared_launch.hpp"
#include "evaluators/gates/sampled_check.hpp"
#include "evaluators/gates/stretched_launch.hpp"
#include "evaluators/gates/unusual_scalars.hpp"
#include "evaluators/oracle/index_chains.hpp"
#include "evaluators/oracle/long_rounds.hpp"
#include "evaluators/oracle/longest.hpp"

namespace evo::evaluators::gates {
namespace {

/// Bits of a check's poison from here on say how its blocks take turns.
constexpr unsigned of_schedules = 8;

/// nullopt: it takes too long (stretched_launch.hpp), and is left out.
Outcome<std::optional<Snapshot>> launch(const JobContext& context, const PreparedLaunch& prepared,
                                        LaunchEffort& effort) {
  const Check& check = prepared.check;
  const bool anyone_asked = use_of(context.job, check.case_index) < CaseUse::swept;
  if (!anyone_asked && context.on_virtual_device() && LaunchEffort::is_crowd(*prepared.bound) &&
      may_wait_for_blocks(context.job.artifact.ptx)) {
    effort.left_out(*prepared.bound);
    return std::nullopt;
  }
  auto buffers = CaseBuffers::create(context.device, *prepared.bound, check.placement, check.poison % 2 != 0);
  if (!buffers) return tl::make_unexpected(buffers.error());
  if (auto done = buffers->write_inputs(prepared.inputs); !done) return tl::make_unexpected(done.error());
  const auto ends = ends_in_time(context, check, *buffers);
  if (!ends) return tl::make_unexpected(ends.error());
  if (!*ends) {
    // Others of the kind are far larger than the problem is for, and left out without a word.
    if (use_of(context.job, check.case_index) == CaseUse::alone) effort.left_out(*prepared.bound);
    return std::nullopt;
  }
  if (auto done = buffers->poison(check.poison, check.finite_poison); !done) {
    return tl::make_unexpected(done.error());
  }
  if (auto done = context.poison_shared(check.poison, check.finite_poison); !done) {
    return tl::make_unexpected(done.error());
  }
  devices::LaunchOptions options = context.launch_options(*prepared.bound);
  if (context.on_virtual_device())
    options.schedule_seed =
        schedule_of_check(*prepared.bound, context.job.artifact.ptx, check.poison >> of_schedules);
  const auto launched =
      context.device.launch(context.module, prepared.bound->launch, buffers->arguments(), options);
  if (!launched) {
    // Nobody asked for such a shape: a kernel whose work grows faster than the work model's is not hung.
    // Nor for lists as long as they can be, which a kernel that goes round until nothing changes takes so
    // many rounds for.
    const model::InputSet& set = context.job.input_sets[check.set_index];
    const bool chain = oracle::parameter(set, oracle::undeclared_parameter, 0) != 0 &&
                       (oracle::leads_on(set.kind) || oracle::is_of_long_rounds(set.kind) ||
                        set.kind == oracle::longest_kind);
    const bool asked = anyone_asked && !chain;
    if (!asked && launched.error().status == model::Status::timeout && context.on_virtual_device() &&
        !effort.is_endless(*prepared.bound, check.set_index,
                           LaunchEffort::of_a_block(*prepared.bound, options.instruction_budget))) {
      effort.left_out(*prepared.bound);
      return std::nullopt;
    }
    return tl::make_unexpected(launched.error());
  }
  effort.ended(*prepared.bound, check.set_index, launched->thread_instructions);
  if (auto done = context.device.synchronize(); !done) return tl::make_unexpected(done.error());
  return take_snapshot(context, *buffers, Guards::check, prepared.reference.get());
}

/// Makes these launches in one turn and hands what came of them to `checks_beside`; the failure of a device
/// that refused one.
std::optional<model::Failure> run_checks(const JobContext& context, std::span<const Check> checks,
                                         CoResidency& co_residency, LaunchEffort& effort,
                                         AsyncChecks& checks_beside, std::vector<Check>& made) {
  std::vector<PreparedLaunch> group;
  for (Check check : checks) {
    if (!asks_what_is_meant(context, check) || !co_residency.allows(check)) continue;
    if (!check.blocks.empty()) {
      const SampledVerdict verdict =
          run_sampled(context, check, is_conditioned(context, check), details_of(context.job, check));
      if (verdict.left_out) {
        if (use_of(context.job, check.case_index) == CaseUse::alone)
          effort.left_out(context.job.cases[check.case_index]);
        continue;
      }
      if (verdict.usable) {
        made.push_back(check);
        checks_beside.submit([failure = verdict.failure] { return failure; }, 0);
        continue;
      }
      check.blocks.clear();  // they need each other: all of them run
    }
    PreparedLaunch prepared = prepare_launch(context, check);
    if (!has_an_answer(context, check, *prepared.reference)) continue;
    group.push_back(std::move(prepared));
    made.push_back(std::move(check));
  }
  std::vector<Snapshot> snapshots;
  std::optional<model::Failure> refused;
  {
    const devices::DeviceLock lock = context.device.lock_device();
    bool one_by_one = true;
    std::optional<model::Failure> of_one_of_them;
    if (group.size() > 1 && may_go_together(context)) {
      GroupOutcome together = launch_together(context, group);
      one_by_one = together.one_by_one;
      snapshots = std::move(together.snapshots);
      (one_by_one ? of_one_of_them : refused) = std::move(together.refused);
    }
    for (const PreparedLaunch& prepared : std::span(group).first(one_by_one ? group.size() : 0)) {
      auto outcome = launch(context, prepared, effort);
      if (!outcome) {
        refused = located(std::move(outcome.error()), prepared.details);
        break;
      }
      if (!*outcome) {
        made.pop_back();  // on the virtual device a group is one launch
        return std::nullopt;
      }
      snapshots.push_back(std::move(**outcome));
    }
    if (!refused) refused = std::move(of_one_of_them);
  }
  for (std::size_t i = 0; i < snapshots.size(); ++i) {
    std::int64_t bytes = 0;
    for (const devices::HostBytes& read : snapshots[i].bytes)
      bytes += static_cast<std::int64_t>(read.span().size());
    checks_beside.submit(
        [bounds = bounds_of(context.job, group[i].check.case_index, is_conditioned(context, group[i].check)),
         one = std::move(group[i]), snapshot = std::move(snapshots[i])] {
          return judge(bounds, *one.bound, snapshot, *one.reference, one.details);
        },
        bytes);
  }
  return refused;
}

/// How many of `checks` go into one turn, from the first on. Where a check is made at once, none is
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

/// One check of each workload to the front: whoever has little time has seen what the kernel is for.
void workloads_first(const DeviceJob& job, std::vector<Check>& plan) {
  std::set<std::size_t> seen;
  std::stable_partition(plan.begin(), plan.end(), [&](const Check& check) {
    return use_of(job, check.case_index) == CaseUse::workload && seen.insert(check.case_index).second;
  });
}

model::Evidence time_was_up(std::size_t made, std::size_t planned) {
  model::Evidence note;
  note.kind = time_was_up_kind;
  note.message = fmt::format(
      "time was up: {} of {} planned checks were made, all of them correct; no launch was repeated", made,
      planned);
  return note;
}

}  // namespace

std::optional<model::Failure> check_correctness(const JobContext& context,
                                                std::vector<model::Evidence>& notes) {
  AsyncChecks checks_beside(context.on_virtual_device() ? AsyncChecks::When::at_once
                                                        : AsyncChecks::When::beside);
  std::optional<model::Failure> refused;
  std::vector<Check> plan = plan_checks(context.job, context.on_virtual_device());
  if (context.until) workloads_first(context.job, plan);
  CoResidency co_residency(context);
  LaunchEffort effort;
  std::vector<Check> made;
  std::size_t prefetched = 0;
  std::span<const Check> left = plan;
  while (!left.empty() && !refused && !checks_beside.failed() && !context.time_is_up()) {
    const std::size_t count = first_group(context, left);
    for (const std::size_t begun = plan.size() - left.size(); prefetched < begun + count;) {
      const std::size_t ahead = std::min(prefetch_ahead, plan.size() - prefetched);
      prefetch_references(context, std::span(plan).subspan(prefetched, ahead));
      prefetched += ahead;
    }
    refused = run_checks(context, left.first(count), co_residency, effort, checks_beside, made);
    left = left.subspan(count);
  }
  if (auto failure = checks_beside.finish()) return failure;
  if (refused) return refused;
  if (!left.empty()) {
    notes.push_back(time_was_up(made.size(), plan.size()));
    return std::nullopt;
  }
  if (auto failure = check_repeats(context)) return failure;
  notes.push_back(describe_coverage(context.job, made));
  if (auto note = co_residency.left_out()) notes.push_back(std::move(*note));
  if (auto note = effort.note()) notes.push_back(std::move(*note));
  for (model::Evidence& note : always_equal(context.job, made)) notes.push_back(std::move(note));
  return check_perturbed(context, notes);
}

}  // namespace evo::evaluators::gates
