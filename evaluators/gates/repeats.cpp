#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "evaluators/gates/case_buffers.hpp"
#include "evaluators/gates/check_plan.hpp"
#include "evaluators/gates/compare_outputs.hpp"
#include "evaluators/gates/correctness.hpp"
#include "evaluators/gates/first_outputs.hpp"
#include "evaluators/gates/grown_bounds.hpp"
#include "evaluators/oracle/layout.hpp"
#include "model/random.hpp"

namespace evo::evaluators::gates {
namespace {

/// Launches of one case that are compared with the first of them.
class Repeater {
 public:
  Repeater(const JobContext& context, const model::Case& bound, const model::InputSet& set)
      : context_(context),
        case_(bound),
        reference_(context.reference(bound, set, {.seed = context.job.input_seed})),
        poisons_({.seed = context.job.input_seed, .generation = 0, .slot = 1, .purpose = "poison"}),
        first_(bound),
        each_is_judged_(!repeats(bound)) {}

  [[nodiscard]] const model::Case& bound() const { return case_; }
  /// Has no block of any launch so far depended on another?
  [[nodiscard]] bool independent() const { return independent_; }

  /// `count` sets of buffers with the same inputs at the same alignments.
  Outcome<void> prepare(std::size_t count) {
    const auto inputs = staged(context_.device, reference_->inputs);
    const devices::DeviceLock lock = context_.device.lock_device();
    rings_.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
      auto buffers = CaseBuffers::create(context_.device, case_, in_turn(case_, 0));
      if (!buffers) return tl::make_unexpected(buffers.error());
      if (auto done = buffers->write_inputs(inputs); !done) return done;
      rings_.push_back(std::move(*buffers));
    }
    return {};
  }

  /// Launches once into each of the first `count` sets, waits, and compares all their outputs.
  Outcome<void> batch(std::size_t count, const devices::LaunchOptions& options, const std::string& manner) {
    return compare(launch(count, options), manner);
  }

  /// Launches into the first set, waits and reads, `count` times in one turn, and compares all outputs.
  Outcome<void> alone(std::size_t count, const devices::LaunchOptions& options, const std::string& manner) {
    Outputs outputs;
    {
      const devices::DeviceLock lock = context_.device.lock_device();
      for (std::size_t i = 0; i < count; ++i) {
        auto of_one = launch(1, options);
        if (!of_one) return tl::make_unexpected(of_one.error());
        outputs.push_back(std::move(of_one->front()));
      }
    }
    return compare(std::move(outputs), manner);
  }

  /// Of all sets at once: a zone that any of the launches so far has changed stays changed.
  Outcome<void> check_guards() {
    const devices::DeviceLock lock = context_.device.lock_device();
    return context_.device.check_guards();
  }

 private:
  using Outputs = std::vector<std::vector<devices::HostBytes>>;  // of each launch

  Outcome<void> compare(Outcome<Outputs> outputs, const std::string& manner) {
    if (!outputs) return tl::make_unexpected(outputs.error());
    for (const Snapshot& snapshot : std::exchange(snapshots_, {})) {
      if (auto failure =
              judge(workload_bounds(context_.job, case_), case_, snapshot, *reference_, {{"launch", manner}}))
        return tl::make_unexpected(std::move(*failure));
    }
    for (std::vector<devices::HostBytes>& of_one : *outputs) {
      if (auto same = first_.compare(std::move(of_one), "repeat_differs", manner); !same) return same;
    }
    return {};
  }

  /// Within one turn, as comparing is not.
  Outcome<Outputs> launch(std::size_t count, const devices::LaunchOptions& options) {
    const devices::DeviceLock lock = context_.device.lock_device();
    for (std::size_t i = 0; i < count; ++i) {
      if (auto done = rings_[i].poison(poisons_.next_u32(), launches_ % 3 == 2); !done)
        return tl::make_unexpected(done.error());
    }
    // The launches behind the first of a batch find what the ones before them left.
    if (auto done = context_.poison_shared(poisons_.next_u32(), launches_ % 2 == 1); !done)
      return tl::make_unexpected(done.error());
    for (std::size_t i = 0; i < count; ++i) {
      const auto launched =
          context_.device.launch(context_.module, case_.launch, rings_[i].arguments(), options);
      if (!launched) return tl::make_unexpected(launched.error());
      independent_ &= launched->blocks_independent;
    }
    if (auto done = context_.device.synchronize(); !done) return tl::make_unexpected(done.error());
    launches_ += count;
    Outputs outputs;
    for (std::size_t i = 0; i < count; ++i) {
      auto read = rings_[i].read_outputs(first_.known(context_.device));
      if (!read) return tl::make_unexpected(read.error());
      outputs.push_back(std::move(*read));
      if (each_is_judged_) snapshots_.push_back(take_snapshot(context_, rings_[i], Guards::skip));
    }
    return outputs;
  }

  const JobContext& context_;
  const model::Case& case_;
  std::shared_ptr<const oracle::ReferenceData> reference_;
  model::RandomStream poisons_;
  std::vector<CaseBuffers> rings_;
  FirstOutputs first_;
  bool each_is_judged_;  ///< bits may differ, so that one correct launch says nothing of the others
  std::vector<Snapshot> snapshots_;
  std::size_t launches_ = 0;
  bool independent_ = true;
};

/// Orders that are tried at least where blocks see what others do: an error in a lock shows only if two of
/// them meet in one place.
constexpr int orders_of_dependent_blocks = 24;

Outcome<void> repeat_on_real(const JobContext& context, Repeater& repeater, std::size_t rings) {
  const auto total = static_cast<std::size_t>(std::max(context.job.settings.repeated_launches, 0));
  const devices::LaunchOptions options = context.launch_options(repeater.bound());
  if (auto done = repeater.prepare(rings); !done) return done;
  const std::size_t alone = total - total / 2;
  for (std::size_t left = alone; left > 0;) {
    const std::size_t now = std::min(left, rings);
    if (auto done = repeater.alone(now, options, "synchronised"); !done) return done;
    left -= now;
  }
  for (std::size_t left = total / 2; left > 0;) {
    const std::size_t now = std::min(left, rings);
    if (auto done = repeater.batch(now, options, "back to back"); !done) return done;
    left -= now;
  }
  return repeater.check_guards();
}

Outcome<void> repeat_on_virtual(const JobContext& context, Repeater& repeater) {
  int runs = context.job.settings.permuted_runs;
  if (runs <= 0) return {};
  if (auto done = repeater.prepare(1); !done) return done;
  devices::LaunchOptions options = context.launch_options(repeater.bound());
  if (auto done = repeater.batch(1, options, "natural order"); !done) return done;
  if (!repeater.independent()) runs = std::max(runs, orders_of_dependent_blocks);
  for (int run = 1; run <= runs; ++run) {
    options.schedule_seed = static_cast<std::uint64_t>(run);
    if (auto done = repeater.batch(1, options, fmt::format("schedule {}", run)); !done) return done;
  }
  return repeater.check_guards();
}

}  // namespace

std::optional<model::Failure> check_repeats(const JobContext& context) {
  const model::Case& bound = context.job.cases[repeated_case(context.job, context.on_virtual_device())];
  const model::InputSet& set = context.job.input_sets.front();
  Repeater repeater(context, bound, set);
  auto outcome = context.on_virtual_device() ? repeat_on_virtual(context, repeater)
                                             : repeat_on_real(context, repeater, sets_that_fit(bound, 8));
  if (outcome) return std::nullopt;
  return located(std::move(outcome.error()), {{"case", bound.name}, {"input_set", set.name}});
}

}  // namespace evo::evaluators::gates
