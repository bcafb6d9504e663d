#include "session/final_verdict.hpp"

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "engine/search_space.hpp"
#include "evaluators/gates/ladder.hpp"
#include "evaluators/gates/paired.hpp"
#include "model/error.hpp"
#include "model/random.hpp"
#include "session/evaluation_stack.hpp"
#include "session/verdict_comparators.hpp"

namespace evo::session {
namespace {

namespace gates = evaluators::gates;

/// Keeps the samples that a comparison was computed of.
class Recorder final : public gates::JobRunner {
 public:
  explicit Recorder(gates::JobRunner& runner) : runner_(runner) {}
  [[nodiscard]] gates::DeviceResult run(const gates::DeviceJob& job) override {
    gates::DeviceResult result = runner_.run(job);
    series = result.paired;
    return result;
  }
  [[nodiscard]] evaluators::devices::DeviceInfo info() const override { return runner_.info(); }

  std::vector<gates::PairedSeries> series;

 private:
  gates::JobRunner& runner_;
};

model::Variant variant_of(const engine::SearchSpace& space, const engine::TrialRecord& trial) {
  const engine::SearchTemplate* entry = space.find(trial.template_name);
  if (entry == nullptr) {
    throw model::Exception(model::ExitCode::failed, fmt::format("the template {} of variant {} is not there",
                                                                trial.template_name, trial.variant));
  }
  return model::make_variant(entry->kernel_template, entry->space, trial.genome);
}

/// Often enough to see a slowdown, which lasts; each look costs the driver something.
constexpr std::chrono::milliseconds watch_period{200};

/// A device process that has run nothing else, and how the GPU under it is looked at.
struct Fresh {
  explicit Fresh(EvaluationStack& stack)
      : runner(stack.fresh_runner()), recorder(*runner), look(stack.gpu_look(recorder.info().uuid)) {}
  std::unique_ptr<gates::JobRunner> runner;
  Recorder recorder;
  GpuWatch::Look look;
};

/// The stream of a verdict's input seeds: no two parts of it see the same inputs.
std::string purpose_of(const TimedPairs& pairs, const model::Experiment& experiment) {
  std::string purpose = "final verdict";
  if (pairs.against != "baseline") purpose += " against " + pairs.against;
  if (pairs.cache != experiment.gates.cache) purpose += ", " + pairs.cache;
  return purpose;
}

/// Times the two as pairs.cache says. False after a stop: then the samples are not all there.
bool measure_all(TimedPairs& pairs, const model::Experiment& experiment, EvaluationStack& stack, Fresh& fresh,
                 const std::array<model::Variant, 2>& variants, std::uint64_t entropy,
                 const std::stop_token& stop) {
  model::RandomStream seeds(
      {.seed = entropy, .generation = 0, .slot = 0, .purpose = purpose_of(pairs, experiment)});
  pairs.clocks.watched = static_cast<bool>(fresh.look);
  for (int job = 0; job < verdict_jobs && pairs.failure.empty();) {
    if (stop.stop_requested()) return false;
    model::Experiment unseen = experiment;
    unseen.input_seed = seeds.below(std::uint64_t{1} << 62);
    unseen.gates.paired_rounds = pairs.cache == experiment.gates.cache ? verdict_rounds : other_cache_rounds;
    unseen.gates.cache = pairs.cache;
    gates::Ladder ladder(unseen, stack.compiler(), fresh.recorder, stack.virtual_device(), stack.known());
    // Nothing is decided on the way: every job has all its rounds, however the pairs come out.
    GpuWatch watch(fresh.look, watch_period);
    const auto paired = ladder.time_paired(variants[0], variants[1], 0);
    const std::optional<GpuState> state = watch.stop();
    // What failed is told, however hot the GPU was.
    if (paired && paired->comparison && note_job(pairs.clocks, state)) continue;
    ++job;
    pairs.input_seeds.push_back(*unseen.input_seed);
    if (!paired || !paired->comparison) {
      pairs.failure = "the two could not be timed in turn";
      if (paired && !paired->evidence.empty()) pairs.failure = paired->evidence.front().message;
    } else if (!pairs.add(fresh.recorder.series)) {
      pairs.failure = "the samples of the jobs do not fit each other";
    }
  }
  return !stop.stop_requested();
}

/// The same two with the L2 that does not decide. False after a stop.
bool measure_other_cache(FinalVerdict& verdict, const model::Experiment& experiment, EvaluationStack& stack,
                         Fresh& fresh, const std::array<model::Variant, 2>& variants, std::uint64_t entropy,
                         const std::stop_token& stop) {
  TimedPairs& other = verdict.other_cache.emplace();
  other.kind = verdict.kind;
  other.cache = experiment.gates.cold() ? "hot" : "cold";
  try {
    return measure_all(other, experiment, stack, fresh, variants, entropy, stop);
  } catch (const model::Exception& error) {
    // Of a GPU without memory for so many sets, for instance: the decision stands all the same.
    other.failure = error.what();
    return true;
  }
}

void take_modelled(FinalVerdict& verdict, const engine::TrialRecord& baseline,
                   const engine::TrialRecord& champion) {
  for (const model::WorkloadLatency& one : champion.latencies) {
    const auto other = std::find_if(baseline.latencies.begin(), baseline.latencies.end(),
                                    [&](const auto& entry) { return entry.workload == one.workload; });
    if (other == baseline.latencies.end()) continue;
    verdict.series.push_back({one.workload,
                              one.weight,
                              {rounded_to(one.latency.microseconds, 15)},
                              {rounded_to(other->latency.microseconds, 15)}});
  }
}

}  // namespace

std::optional<FinalVerdict> judge_champion(const model::Experiment& experiment, EvaluationStack& stack,
                                           const engine::TrialRecord& baseline,
                                           const engine::TrialRecord& champion, std::uint64_t entropy,
                                           const std::stop_token& stop, Beside beside) {
  const auto latency = champion.latency();
  if (!latency || !baseline.latency()) return std::nullopt;
  FinalVerdict verdict;
  verdict.variant = champion.variant;
  verdict.baseline = baseline.variant;
  verdict.accuracy_class = experiment.accuracy_class;
  verdict.margin = experiment.gates.final_margin;
  verdict.cache = experiment.gates.cache;
  if (champion.variant != baseline.variant)
    for (const model::CounterBound& bound : experiment.gates.counters)
      verdict.counter_bounds.push_back(model::text_of(bound));
  // The stack knows which kind its device gives; a trial's record only what it was given.
  verdict.kind = stack.ladder().info().latency_kind;
  verdict.device = stack.ladder().info().device_name;
  const engine::SearchSpace space = engine::make_search_space(experiment);
  const bool asked = beside == Beside::as_said;
  const bool others = asked && experiment.gates.times_beside("comparators");
  if (verdict.kind != model::LatencyKind::measured) {
    take_modelled(verdict, baseline, champion);
    if (others) verdict.comparators = comparators_modelled(experiment, stack, champion, stop);
    if (stop.stop_requested()) return std::nullopt;
    return verdict;
  }
  const std::array variants{variant_of(space, champion), variant_of(space, baseline)};
  Fresh fresh(stack);
  verdict.device = fresh.recorder.info().name;
  if (!measure_all(verdict, experiment, stack, fresh, variants, entropy, stop)) return std::nullopt;
  if (!verdict.failure.empty()) return verdict;
  if (asked && experiment.gates.times_beside("cache") &&
      !measure_other_cache(verdict, experiment, stack, fresh, variants, entropy, stop))
    return std::nullopt;
  if (others) verdict.comparators = comparators_measured(experiment, stack, variants[0], entropy, stop);
  if (stop.stop_requested()) return std::nullopt;
  return verdict;
}

}  // namespace evo::session
