#include "evaluators/gates/latency.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "evaluators/gates/case_buffers.hpp"
#include "evaluators/gates/judge.hpp"
#include "evaluators/gates/judgements.hpp"
#include "evaluators/measure/statistics.hpp"
#include "evaluators/oracle/layout.hpp"
#include "model/random.hpp"

namespace evo::evaluators::gates {
namespace {

constexpr std::uint64_t modelled_input_seed =
    1;  // counts may depend on data, so modelled ones use fixed data

using References = std::vector<std::shared_ptr<const oracle::ReferenceData>>;
using Rings = std::vector<CaseBuffers>;

/// Samples beyond the tenth stop when all of them would take longer.
constexpr double sampling_budget_ms = 20;

/// A kernel this many times slower than the fastest that was proven so far is screened: it gets few samples.
constexpr double screening_factor = 1.25;

std::int64_t bytes_of(const model::Case& bound) {
  std::int64_t bytes = 1;
  for (const model::BoundArgument& argument : bound.arguments) {
    if (argument.role != model::ArgumentRole::scalar) bytes += oracle::buffer_bytes(argument);
  }
  return bytes;
}

/// Two to eight sets, 256 MiB in all if the case is big.
std::size_t ring_count(const model::Case& bound) {
  return static_cast<std::size_t>(
      std::clamp<std::int64_t>((std::int64_t{256} << 20) / bytes_of(bound), 2, 8));
}

/// Ring i gets the inputs of rotation i + shift and fresh poison.
Outcome<void> fill(devices::Device& device, Rings& rings, const References& references, std::size_t shift) {
  for (std::size_t i = 0; i < rings.size(); ++i) {
    const devices::Turn turn = device.take_turn();
    const auto& data = references[(i + shift) % references.size()];
    if (auto done = rings[i].write_inputs(data->inputs); !done) return done;
    if (auto done = rings[i].poison(static_cast<std::uint32_t>(17 * i + shift + 1), false); !done)
      return done;
  }
  return {};
}

Outcome<void> verify(const JobContext& context, const model::Case& bound, const Rings& rings,
                     const References& references, std::size_t shift, const std::string& when) {
  const model::InputSet& set = context.job.input_sets.front();
  const Details details{{"case", bound.name}, {"input_set", set.name}, {"when", when}};
  Judgements judgements(Judgements::When::beside);
  for (std::size_t i = 0; i < rings.size(); ++i) {
    const auto& data = references[(i + shift) % references.size()];
    // One look at the guard zones sees those of all rings.
    Snapshot snapshot = take_snapshot(context, rings[i], i == 0 ? Guards::check : Guards::skip);
    judgements.submit([&tolerance = context.job.tolerance, &bound, &set, snapshot = std::move(snapshot), data,
                       &details] { return judge(tolerance, bound, set, snapshot, *data, details); },
                      bytes_of(bound));
  }
  if (auto failure = judgements.finish()) return tl::make_unexpected(std::move(*failure));
  return {};
}

/// How often the timed launches are looked at before the last of them.
constexpr std::size_t look_count = 2;

/// Between the timed launches: what those so far have left in a buffer set, both drawn. Only the device is
/// read while it is timed; the judging comes after.
class Looks {
 public:
  Looks(const JobContext& context, const model::Case& bound, Rings& rings, const References& references)
      : context_(context),
        case_(bound),
        rings_(rings),
        references_(references),
        draws_({.seed = context.job.input_seed,
                .generation = 0,
                .slot = 0,
                .purpose = "looks " + bound.name + context.job.artifact.code_hash}) {
    for (std::size_t i = 0; i < look_count; ++i) shares_.push_back(draws_.uniform());
    std::sort(shares_.begin(), shares_.end());
  }

  [[nodiscard]] const std::vector<double>& shares() const { return shares_; }
  /// Poison behind the warm-up and behind every look: what is right at the next one was written since.
  [[nodiscard]] Outcome<void> prepare() {
    for (CaseBuffers& ring : rings_) {
      if (auto done = ring.poison(draws_.next_u32(), draws_.below(3) == 0); !done) return done;
    }
    return {};
  }
  [[nodiscard]] Outcome<void> take(std::size_t samples) {
    const auto ring = static_cast<std::size_t>(draws_.below(rings_.size()));
    seen_.push_back({ring, samples, take_snapshot(context_, rings_[ring], Guards::check)});
    return {};
  }
  [[nodiscard]] Outcome<void> judge_all() const {
    for (const Look& look : seen_) {
      const model::InputSet& set = context_.job.input_sets.front();
      auto failure =
          judge(context_.job.tolerance, case_, set, look.snapshot, *references_[look.ring],
                {{"case", case_.name},
                 {"input_set", set.name},
                 {"when", fmt::format("between the timed launches, after {} samples", look.samples)}});
      if (failure) return tl::make_unexpected(std::move(*failure));
    }
    return {};
  }

 private:
  struct Look {
    std::size_t ring, samples;
    Snapshot snapshot;
  };
  const JobContext& context_;
  const model::Case& case_;
  Rings& rings_;
  const References& references_;
  model::RandomStream draws_;
  std::vector<double> shares_;
  std::vector<Look> seen_;
};

/// A kernel that keeps something from the launches before would now answer the inputs of before.
Outcome<void> verify_swapped(const JobContext& context, const model::Case& bound, Rings& rings,
                             const References& references) {
  if (auto done = fill(context.device, rings, references, 1); !done) return done;
  devices::Turn turn = context.device.take_turn();
  for (const CaseBuffers& ring : rings) {
    const auto launched =
        context.device.launch(context.module, bound.launch, ring.arguments(), context.launch_options());
    if (!launched) return tl::make_unexpected(launched.error());
  }
  if (auto done = context.device.synchronize(); !done) return done;
  turn.reset();
  return verify(context, bound, rings, references, 1, "after the timed launches, with other inputs");
}

Outcome<model::Latency> summarise(const devices::Device::Timing& timing) {
  const bool usable =
      !timing.samples_us.empty() && std::all_of(timing.samples_us.begin(), timing.samples_us.end(),
                                                [](double us) { return std::isfinite(us) && us > 0; });
  if (!usable) {
    return tl::make_unexpected(fail(
        model::Status::launch_error, "no_samples",
        fmt::format("timing gave {} samples, or one that is no positive number", timing.samples_us.size())));
  }
  model::Latency latency;
  latency.kind = timing.kind;
  latency.method = timing.method;
  latency.samples = static_cast<std::uint32_t>(timing.samples_us.size());
  latency.microseconds = measure::median(timing.samples_us);
  if (timing.kind == model::LatencyKind::measured) latency.ci95 = measure::median_interval(timing.samples_us);
  return latency;
}

/// `fastest_us`: 0 if nothing is known.
Outcome<model::Latency> measure_case(const JobContext& context, const model::Case& bound, double fastest_us) {
  const bool modelled = context.on_virtual_device();
  const std::size_t count = modelled ? 1 : ring_count(bound);
  const std::uint64_t seed = modelled ? modelled_input_seed : context.job.input_seed;
  References references;
  Rings rings;
  rings.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    // Rotation 0 was the correctness gate's.
    references.push_back(
        context.reference(bound, context.job.input_sets.front(), {.seed = seed, .rotation = i + 1}));
    const devices::Turn turn = context.device.take_turn();
    auto buffers = CaseBuffers::create(context.device, bound, 0);
    if (!buffers) return tl::make_unexpected(buffers.error());
    rings.push_back(std::move(*buffers));
  }
  if (auto done = fill(context.device, rings, references, 0); !done) return tl::make_unexpected(done.error());
  std::vector<std::vector<devices::KernelArgument>> arguments;
  for (const CaseBuffers& ring : rings)
    arguments.emplace_back(ring.arguments().begin(), ring.arguments().end());
  const model::GateSettings& settings = context.job.settings;
  devices::TimingProtocol protocol{settings.timing_warmup, settings.timing_samples, settings.timing_launches,
                                   screening_factor * fastest_us, sampling_budget_ms};
  Looks looks(context, bound, rings, references);
  if (!modelled) {
    protocol.looks = looks.shares();
    protocol.look = [&looks](std::size_t samples) { return looks.take(samples); };
    protocol.prepare = [&looks] { return looks.prepare(); };
  }
  devices::Turn turn = context.device.take_turn();
  const auto timing = context.device.time(context.module, bound.launch, arguments, protocol);
  turn.reset();
  if (!timing) return tl::make_unexpected(timing.error());
  if (!modelled) {
    if (auto done = context.device.synchronize(); !done) return tl::make_unexpected(done.error());
    if (auto done = looks.judge_all(); !done) return tl::make_unexpected(done.error());
    if (auto done = verify(context, bound, rings, references, 0, "after the timed launches"); !done) {
      return tl::make_unexpected(done.error());
    }
    if (auto done = verify_swapped(context, bound, rings, references); !done) {
      return tl::make_unexpected(done.error());
    }
  }
  return summarise(*timing);
}

}  // namespace

Outcome<std::vector<model::WorkloadLatency>> measure_latency(const JobContext& context) {
  std::vector<model::WorkloadLatency> latencies;
  for (std::size_t i = 0; i < context.job.timed_cases.size(); ++i) {
    const model::Case& bound = context.job.timed_cases[i];
    auto latency =
        measure_case(context, bound, i < context.job.fastest_us.size() ? context.job.fastest_us[i] : 0);
    if (!latency) return tl::make_unexpected(located(std::move(latency.error()), {{"case", bound.name}}));
    latencies.push_back({bound.name, bound.weight, std::move(*latency)});
  }
  return latencies;
}

}  // namespace evo::evaluators::gates
