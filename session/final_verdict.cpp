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
#include "packs/builtin.hpp"
#include "session/comparator_pairs.hpp"
#include "session/evaluation_stack.hpp"

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

/// Whether evo itself brings other libraries for the problem.
bool has_libraries(const model::Problem& problem) {
  const packs::Pack* pack = packs::find_pack(packs::builtin(), problem.oracle);
  return pack != nullptr && pack->contenders != nullptr;
}

/// Of all that the problem brings, for one reason.
std::vector<TimedPairs> no_comparators(const FinalVerdict& verdict, const model::Problem& problem,
                                       const std::string& why) {
  TimedPairs none;
  none.against = "libraries for " + problem.oracle;
  if (const auto comparators = model::comparators_of(problem); !comparators.empty()) {
    none.against.clear();
    for (const model::Comparator& one : comparators)
      none.against += (none.against.empty() ? "" : ", ") + one.name;
  }
  none.kind = verdict.kind;
  none.cache = verdict.cache;
  none.failure = why;
  return {none};
}

/// The problem's comparators, or what evo brings for the problem, each in turn with the champion.
std::vector<TimedPairs> against_comparators(const FinalVerdict& verdict, const model::Experiment& experiment,
                                            EvaluationStack& stack, const model::Variant& champion,
                                            std::uint64_t entropy, const std::stop_token& stop) {
  const model::Problem& problem = experiment.problem;
  const std::vector<model::Comparator> comparators = model::comparators_of(problem);
  if (comparators.empty() && !has_libraries(problem)) return {};
  if (verdict.kind != model::LatencyKind::measured)
    return no_comparators(verdict, problem, "other libraries are not modelled: they run on a GPU");
  if (!stack.comparators()) return no_comparators(verdict, problem, "nobody can run them here");
  const evaluators::Prepared prepared = stack.ladder().prepare(champion);
  if (prepared.failed()) return no_comparators(verdict, problem, "the champion does not compile any more");
  ComparatorJob job;
  job.job = stack.ladder().launches_to_profile(prepared);
  job.problem_folder = problem.folder;
  job.comparators = comparators;
  job.named = !problem.comparators.empty();
  model::RandomStream seeds(
      {.seed = entropy, .generation = 0, .slot = 0, .purpose = "final verdict against comparators"});
  for (int i = 0; i < verdict_jobs; ++i) job.seeds.push_back(seeds.below(std::uint64_t{1} << 62));
  return stack.comparators()(job, stop);
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
    if (others)
      verdict.comparators =
          against_comparators(verdict, experiment, stack, variant_of(space, champion), entropy, stop);
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
  if (others)
    verdict.comparators = against_comparators(verdict, experiment, stack, variants[0], entropy, stop);
  if (stop.stop_requested()) return std::nullopt;
  return verdict;
}

}  // namespace evo::session
