#include <algorithm>
#include <cstring>
#include <span>

#include <fmt/format.h>

#include "evaluators/gates/case_buffers.hpp"
#include "evaluators/gates/check_plan.hpp"
#include "evaluators/gates/correctness.hpp"
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
        poisons_({.seed = context.job.input_seed, .generation = 0, .slot = 1, .purpose = "poison"}) {}

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
      if (auto done = rings_[i].poison(poisons_.next_u32(), launched_ % 3 == 2); !done) return done;
    }
    for (std::size_t i = 0; i < count; ++i) {
      const auto launched =
          context_.device.launch(context_.module, case_.launch, rings_[i].arguments(), options);
      if (!launched) return tl::make_unexpected(launched.error());
    }
    if (auto done = context_.device.synchronize(); !done) return done;
    for (std::size_t i = 0; i < count; ++i) {
      if (auto same = compare(rings_[i], manner); !same) return same;
      ++launched_;
    }
    return {};
  }

  /// Of all sets at once: a zone that any of the launches so far has changed stays changed.
  Outcome<void> check_guards() {
    const devices::Turn turn = context_.device.take_turn();
    return context_.device.check_guards();
  }

 private:
  /// The addressed elements of every output must be those of the first launch.
  Outcome<void> compare(const CaseBuffers& buffers, const std::string& manner) {
    std::int64_t position = 0;  // in the addressed elements of all outputs, one after the other
    std::int64_t first_at = -1, different = 0;
    for (std::size_t i = 0; i < case_.arguments.size(); ++i) {
      const model::BoundArgument& argument = case_.arguments[i];
      if (argument.role != model::ArgumentRole::output) continue;
      auto read = buffers.read(i);
      if (!read) return tl::make_unexpected(read.error());
      if (launched_ == 0) {
        first_.push_back(std::move(*read));
        rows_.push_back(oracle::rows_of(argument));
        continue;
      }
      const std::span<const std::byte> now = read->span();
      const std::span<const std::byte> then = first_[output_of(i)].span();
      const std::int64_t size = model::size_of(argument.dtype);
      for (const oracle::Row& row : rows_[output_of(i)]) {
        const auto offset = static_cast<std::size_t>(row.offset * size);
        const auto bytes = static_cast<std::size_t>(row.count * size);
        if (std::memcmp(&now[offset], &then[offset], bytes) != 0) {
          for (std::size_t at = offset; at < offset + bytes; ++at) {
            if (now[at] == then[at]) continue;
            if (first_at < 0) first_at = position + static_cast<std::int64_t>(at - offset);
            ++different;
          }
        }
        position += row.count * size;
      }
    }
    if (different == 0) return {};
    return tl::make_unexpected(
        fail(model::Status::nondeterministic, "repeat_differs",
             fmt::format(
                 "launch {} ({}) gave other bits than launch 1 on the same inputs: {} of {} bytes, the first "
                 "at byte {} of the outputs",
                 launched_ + 1, manner, different, position, first_at)));
  }

  /// Which of the outputs argument `index` is.
  [[nodiscard]] std::size_t output_of(std::size_t index) const {
    return static_cast<std::size_t>(
        std::count_if(case_.arguments.begin(), case_.arguments.begin() + static_cast<std::ptrdiff_t>(index),
                      [](const auto& argument) { return argument.role == model::ArgumentRole::output; }));
  }

  const JobContext& context_;
  const model::Case& case_;
  std::shared_ptr<const oracle::ReferenceData> reference_;
  model::RandomStream poisons_;
  std::vector<CaseBuffers> rings_;
  std::int64_t launched_ = 0;
  std::vector<devices::HostBytes> first_;       // of the first launch, one entry an output
  std::vector<std::vector<oracle::Row>> rows_;  // likewise
};

/// As many sets of buffers as fit into 1 GiB, 8 at most.
std::size_t ring_size(const model::Case& bound) {
  std::int64_t bytes = 1;
  for (const model::BoundArgument& argument : bound.arguments) {
    if (argument.role != model::ArgumentRole::scalar) bytes += oracle::buffer_bytes(argument);
  }
  return static_cast<std::size_t>(std::clamp<std::int64_t>((std::int64_t{1} << 30) / bytes, 1, 8));
}

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
                                             : repeat_on_real(context, repeater, ring_size(bound));
  if (outcome) return std::nullopt;
  return located(std::move(outcome.error()), {{"case", bound.name}, {"input_set", set.name}});
}

}  // namespace evo::evaluators::gates
