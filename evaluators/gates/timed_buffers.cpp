#include "evaluators/gates/timed_buffers.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "evaluators/gates/async_checks.hpp"
#include "evaluators/gates/compare_outputs.hpp"
#include "evaluators/gates/grown_bounds.hpp"
#include "evaluators/oracle/layout.hpp"

namespace evo::evaluators::gates {
namespace {

constexpr std::uint64_t modelled_input_seed = 1;

std::size_t ring_count(const model::Case& bound) {
  return static_cast<std::size_t>(std::clamp<std::int64_t>(
      (std::int64_t{256} << 20) / std::max<std::int64_t>(oracle::case_bytes(bound), 1), 2, 8));
}

/// Of many sets so many are verified at a time: reading all of them would take longer than the timing.
constexpr std::size_t most_verified = 8;

}  // namespace

TimedBufferSets::TimedBufferSets(const JobContext& context, const model::Case& bound)
    : context_(&context),
      case_(&bound),
      draws_({.seed = context.job.input_seed,
              .generation = 0,
              .slot = 0,
              .purpose = "verified sets " + bound.name + context.job.artifact.code_hash}) {}

Outcome<TimedBufferSets> TimedBufferSets::create(const JobContext& context, const model::Case& bound) {
  const bool modelled = context.on_virtual_device();
  const std::size_t hot = modelled ? 1 : ring_count(bound);
  const std::uint64_t seed = modelled ? modelled_input_seed : context.job.input_seed;
  TimedBufferSets rings(context, bound);
  if (!modelled && context.job.settings.cold())
    rings.cold_ = cold_plan(oracle::case_bytes(bound), context.device.info().l2_bytes);
  const std::size_t count = rings.cold_ ? static_cast<std::size_t>(rings.cold_->sets) : hot;
  rings.buffers_.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    // Rotation 0 was the correctness gate's.
    if (i < hot) {
      rings.references_.push_back(
          context.reference(bound, context.job.input_sets.front(), {.seed = seed, .rotation = i + 1}));
    }
    const devices::DeviceLock lock = context.device.lock_device();
    auto buffers = CaseBuffers::create(context.device, bound, as_allocated);
    if (!buffers) return tl::make_unexpected(buffers.error());
    rings.buffers_.push_back(std::move(*buffers));
    const auto arguments = rings.buffers_.back().arguments();
    rings.arguments_.emplace_back(arguments.begin(), arguments.end());
  }
  return rings;
}

Outcome<void> TimedBufferSets::fill(std::size_t shift) {
  for (std::size_t i = 0; i < buffers_.size();) {
    const std::size_t end = std::min(i + sets_a_turn(*case_), buffers_.size());
    std::vector<std::vector<devices::HostBytes>> inputs;
    for (std::size_t k = i; k < end; ++k)
      inputs.push_back(staged(context_->device, reference_of(k + shift)->inputs));
    const devices::DeviceLock lock = context_->device.lock_device();
    for (const std::vector<devices::HostBytes>& of_one : inputs) {
      if (auto done = buffers_[i].write_inputs(of_one); !done) return done;
      if (auto done = buffers_[i].poison(static_cast<std::uint32_t>(17 * i + shift + 1), false); !done)
        return done;
      ++i;
    }
  }
  return {};
}

std::vector<std::size_t> TimedBufferSets::verified_sets() const {
  std::vector<std::size_t> sets(buffers_.size());
  std::iota(sets.begin(), sets.end(), std::size_t{0});
  if (sets.size() <= most_verified) return sets;
  for (std::size_t i = 0; i < most_verified; ++i)
    std::swap(sets[i], sets[i + static_cast<std::size_t>(draws_.below(sets.size() - i))]);
  sets.resize(most_verified);
  return sets;
}

Outcome<void> TimedBufferSets::verify(std::size_t shift, const std::string& when,
                                      const model::Case* writer) const {
  const model::Case& written = writer == nullptr ? *case_ : *writer;
  const model::InputSet& set = context_->job.input_sets.front();
  const Details details{{"case", case_->name}, {"input_set", set.name}, {"when", when}};
  AsyncChecks checks_beside(AsyncChecks::When::beside);
  Guards guards = Guards::check;
  for (const std::size_t i : verified_sets()) {
    const auto& data = reference_of(i + shift);
    // One look at the guard zones sees those of all rings.
    Snapshot snapshot = take_snapshot(*context_, buffers_[i], guards, data.get());
    guards = Guards::skip;
    checks_beside.submit(
        [bounds = workload_bounds(context_->job, written), &bound = written, snapshot = std::move(snapshot),
         data, &details] { return judge(bounds, bound, snapshot, *data, details); },
        oracle::case_bytes(*case_));
  }
  if (auto failure = checks_beside.finish()) return tl::make_unexpected(std::move(*failure));
  return {};
}

}  // namespace evo::evaluators::gates
