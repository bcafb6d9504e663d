#include "evaluators/gates/latency.hpp"
#include "evaluators/gates/grown_bounds.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "evaluators/gates/cold_sets.hpp"
#include "evaluators/gates/compare_outputs.hpp"
#include "evaluators/gates/timed_buffers.hpp"
#include "evaluators/measure/statistics.hpp"
#include "model/archive.hpp"
#include "model/random.hpp"

namespace evo::evaluators::gates {
namespace {

/// Samples beyond the tenth stop when all of them would take longer.
constexpr double sampling_budget_ms = 20;

/// A kernel this many times slower than the fastest that was proven so far is screened: it gets few samples.
constexpr double screening_factor = 1.25;

/// How often the timed launches are looked at before the last of them.
constexpr std::size_t look_count = 2;

/// Spot checks during timing: at random samples, the outputs in a random buffer set are copied. They are
/// compared after the timing.
class SpotChecks {
 public:
  SpotChecks(const JobContext& context, const model::Case& bound, TimedBufferSets& rings)
      : context_(context),
        case_(bound),
        rings_(rings),
        draws_({.seed = context.job.input_seed,
                .generation = 0,
                .slot = 0,
                .purpose = "looks " + bound.name + context.job.artifact.code_hash}) {
    for (std::size_t i = 0; i < look_count; ++i) shares_.push_back(draws_.uniform());
    std::sort(shares_.begin(), shares_.end());
  }

  [[nodiscard]] const std::vector<double>& shares() const { return shares_; }
  /// Poison behind the warm-up and behind every look: what is correct at the next one was written since.
  [[nodiscard]] Outcome<void> prepare() {
    for (CaseBuffers& ring : rings_.buffers()) {
      if (auto done = ring.poison(draws_.next_u32(), draws_.below(3) == 0); !done) return done;
    }
    return {};
  }
  [[nodiscard]] Outcome<void> take(std::size_t samples) {
    const auto ring = static_cast<std::size_t>(draws_.below(rings_.buffers().size()));
    seen_.push_back(
        {ring, samples,
         take_snapshot(context_, rings_.buffers()[ring], Guards::check, &rings_.reference(ring))});
    return {};
  }
  [[nodiscard]] Outcome<void> judge_all() const {
    for (const Look& look : seen_) {
      const model::InputSet& set = context_.job.input_sets.front();
      auto failure =
          judge(workload_bounds(context_.job, case_), case_, look.snapshot, rings_.reference(look.ring),
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
  TimedBufferSets& rings_;
  model::RandomStream draws_;
  std::vector<double> shares_;
  std::vector<Look> seen_;
};

/// Catches kernels that cache: the inputs are swapped and the outputs are checked again.
Outcome<void> verify_swapped(const JobContext& context, const model::Case& bound, TimedBufferSets& rings) {
  if (auto done = rings.fill(1); !done) return done;
  devices::DeviceLock lock = context.device.lock_device();
  for (const CaseBuffers& ring : rings.buffers()) {
    const auto launched =
        context.device.launch(context.module, bound.launch, ring.arguments(), context.launch_options(bound));
    if (!launched) return tl::make_unexpected(launched.error());
  }
  if (auto done = context.device.synchronize(); !done) return done;
  lock.reset();
  return rings.verify(1, "after the timed launches, with other inputs");
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

/// `fastest_us`: 0 if nothing is known. `kept` gets the samples of a measured latency.
Outcome<model::Latency> measure_case(const JobContext& context, const model::Case& bound, double fastest_us,
                                     std::vector<model::SampleSeries>& kept,
                                     std::vector<model::Evidence>* notes) {
  const bool modelled = context.on_virtual_device();
  auto made = TimedBufferSets::create(context, bound);
  if (!made) return tl::make_unexpected(made.error());
  TimedBufferSets rings = std::move(*made);
  if (auto done = rings.fill(0); !done) return tl::make_unexpected(done.error());
  const model::GateSettings& settings = context.job.settings;
  devices::TimingProtocol protocol{.warmup = settings.timing_warmup,
                                   .samples = settings.timing_samples,
                                   .launches = settings.timing_launches,
                                   .screen_us = screening_factor * fastest_us,
                                   .budget_ms = sampling_budget_ms};
  if (rings.cold()) {
    protocol.launches = cold_launches(protocol.launches, *rings.cold());
    protocol.empty_cache = rings.cold()->emptied;
  }
  SpotChecks spot_checks(context, bound, rings);
  if (!modelled) {
    protocol.spot_checks = spot_checks.shares();
    protocol.spot_check = [&spot_checks](std::size_t samples) { return spot_checks.take(samples); };
    protocol.prepare = [&spot_checks] { return spot_checks.prepare(); };
  }
  devices::DeviceLock lock = context.device.lock_device();
  const auto timing = context.device.time(context.module, bound.launch, rings.argument_sets(), protocol);
  lock.reset();
  if (!timing) return tl::make_unexpected(timing.error());
  if (!modelled) {
    if (auto done = context.device.synchronize(); !done) return tl::make_unexpected(done.error());
    if (auto done = spot_checks.judge_all(); !done) return tl::make_unexpected(done.error());
    if (auto done = rings.verify(0, "after the timed launches"); !done)
      return tl::make_unexpected(done.error());
    if (auto done = verify_swapped(context, bound, rings); !done) return tl::make_unexpected(done.error());
  }
  if (notes != nullptr && !timing->behaviour.empty()) {
    model::Evidence note{std::string(model::behaviour_kind), "what a timed launch did", {}, 0, {}};
    note.details = timing->behaviour;
    note.details.emplace_back("case", bound.name);
    notes->push_back(std::move(note));
  }
  if (timing->kind == model::LatencyKind::measured) kept.push_back({bound.name, {}, timing->samples_us});
  auto latency = summarise(*timing);
  if (latency && rings.cold()) latency->method += ", cold L2";
  return latency;
}

}  // namespace

Outcome<TimedCases> measure_latency(const JobContext& context, ClockWatch& watch,
                                    std::vector<model::Evidence>* notes) {
  TimedCases timed;
  for (std::size_t i = 0; i < context.job.timed_cases.size(); ++i) {
    const model::Case& bound = context.job.timed_cases[i];
    auto latency =
        measure_case(context, bound, i < context.job.fastest_us.size() ? context.job.fastest_us[i] : 0,
                     timed.samples, notes);
    if (!latency) return tl::make_unexpected(located(std::move(latency.error()), {{"case", bound.name}}));
    watch.look();
    timed.latencies.push_back({bound.name, bound.weight, std::move(*latency)});
  }
  return timed;
}

}  // namespace evo::evaluators::gates
