#include <algorithm>

#include <fmt/format.h>

#include "evaluators/gates/case_buffers.hpp"
#include "evaluators/gates/check_plan.hpp"
#include "evaluators/gates/correctness.hpp"
#include "evaluators/gates/first_answer.hpp"
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
        first_(bound) {}

  /// `count` sets of buffers with the same inputs at the same alignments.
  Outcome<void> prepare(std::size_t count) {
    const devices::Turn turn = context_.device.take_turn();
    rings_.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
      auto buffers = CaseBuffers::create(context_.device, case_, 0);
      if (!buffers) return tl::make_unexpected(buffers.error());
      if (auto done = buffers->write_inputs(reference_->inputs); !done) return done;
      rings_.push_back(std::move(*buffers));
    }
    return {};
  }

  /// Launches once into each of the first `count` sets, waits, and compares all their outputs.
  Outcome<void> batch(std::size_t count, const devices::LaunchOptions& options, const std::string& manner) {
    const devices::Turn turn = context_.device.take_turn();
    for (std::size_t i = 0; i < count; ++i) {
      if (auto done = rings_[i].poison(poisons_.next_u32(), first_.launches() % 3 == 2); !done) return done;
    }
    // The launches behind the first of a batch find what the ones before them left.
    if (auto done = context_.poison_shared(poisons_.next_u32(), first_.launches() % 2 == 1); !done)
      return done;
    for (std::size_t i = 0; i < count; ++i) {
      const auto launched =
          context_.device.launch(context_.module, case_.launch, rings_[i].arguments(), options);
      if (!launched) return tl::make_unexpected(launched.error());
    }
    if (auto done = context_.device.synchronize(); !done) return done;
    for (std::size_t i = 0; i < count; ++i) {
      if (auto same = first_.compare(rings_[i], "repeat_differs", manner); !same) return same;
    }
    return {};
  }

  /// Of all sets at once: a zone that any of the launches so far has changed stays changed.
  Outcome<void> check_guards() {
    const devices::Turn turn = context_.device.take_turn();
    return context_.device.check_guards();
  }

 private:
  const JobContext& context_;
  const model::Case& case_;
  std::shared_ptr<const oracle::ReferenceData> reference_;
  model::RandomStream poisons_;
  std::vector<CaseBuffers> rings_;
  FirstAnswer first_;
};

Outcome<void> repeat_on_real(const JobContext& context, Repeater& repeater, std::size_t rings) {
  const auto total = static_cast<std::size_t>(std::max(context.job.settings.repeated_launches, 0));
  const devices::LaunchOptions options = context.launch_options();
  if (auto done = repeater.prepare(rings); !done) return done;
  const std::size_t alone = total - total / 2;
  for (std::size_t i = 0; i < alone; ++i) {
    if (auto done = repeater.batch(1, options, "synchronised"); !done) return done;
  }
  for (std::size_t left = total / 2; left > 0;) {
    const std::size_t now = std::min(left, rings);
    if (auto done = repeater.batch(now, options, "back to back"); !done) return done;
    left -= now;
  }
  return repeater.check_guards();
}

Outcome<void> repeat_on_virtual(const JobContext& context, Repeater& repeater) {
  const int runs = context.job.settings.permuted_runs;
  if (runs <= 0) return {};
  if (auto done = repeater.prepare(1); !done) return done;
  devices::LaunchOptions options = context.launch_options();
  if (auto done = repeater.batch(1, options, "natural order"); !done) return done;
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
