#include "session/final_verdict.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "engine/search_space.hpp"
#include "evaluators/gates/ladder.hpp"
#include "evaluators/gates/paired.hpp"
#include "model/error.hpp"
#include "model/random.hpp"
#include "session/evaluation_stack.hpp"

namespace evo::session {
namespace {

namespace gates = evaluators::gates;
namespace measure = evaluators::measure;

constexpr double not_known = std::numeric_limits<double>::quiet_NaN();

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

double rounded(double value, int digits) {
  return std::strtod(fmt::format("{:.{}g}", value, digits).c_str(), nullptr);
}

void append(std::vector<double>& to, const std::vector<double>& from) {
  for (const double value : from) to.push_back(rounded(value, 7));
}

model::Variant variant_of(const engine::SearchSpace& space, const engine::TrialRecord& trial) {
  const engine::SearchTemplate* entry = space.find(trial.template_name);
  if (entry == nullptr) {
    throw model::Exception(model::ExitCode::failed, fmt::format("the template {} of variant {} is not there",
                                                                trial.template_name, trial.variant));
  }
  return model::make_variant(entry->kernel_template, entry->space, trial.genome);
}

/// Adds a job's samples, which must be of the same workloads and as many in each.
bool add_samples(FinalVerdict& verdict, const std::vector<gates::PairedSeries>& more) {
  if (more.empty()) return false;
  const std::size_t rounds = more.front().candidate_us.size();
  for (const gates::PairedSeries& one : more) {
    if (rounds < 2 || one.candidate_us.size() != rounds || one.opponent_us.size() != rounds) return false;
  }
  if (verdict.series.empty()) {
    for (const gates::PairedSeries& one : more) verdict.series.push_back({one.workload, one.weight, {}, {}});
    verdict.rounds_a_load = gates::paired_rounds_a_load;
  }
  if (more.size() != verdict.series.size()) return false;
  for (std::size_t i = 0; i < more.size(); ++i) {
    append(verdict.series[i].candidate_us, more[i].candidate_us);
    append(verdict.series[i].opponent_us, more[i].opponent_us);
  }
  return true;
}

/// Often enough to see a slowdown, which lasts; each look costs the driver something.
constexpr std::chrono::milliseconds watch_period{200};

/// Counts what was seen in a job. True: its samples are not to be kept.
bool note_clocks(HeldClocks& clocks, const std::optional<GpuState>& state) {
  if (!state || state->throttle.empty()) return false;
  for (const std::string& reason : state->throttle) model::add_reasons(reason, clocks.reasons);
  const bool slowed = std::ranges::any_of(state->throttle, model::is_slowdown);
  if (slowed && clocks.discarded < most_discarded_jobs) {
    ++clocks.discarded;
    return true;
  }
  ++clocks.kept;
  return false;
}

/// False after a stop: then the samples are not all there.
bool measure_all(FinalVerdict& verdict, const model::Experiment& experiment, EvaluationStack& stack,
                 const std::array<model::Variant, 2>& variants, std::uint64_t entropy,
                 const std::stop_token& stop) {
  const auto fresh = stack.fresh_runner();
  Recorder recorder(*fresh);
  verdict.device = recorder.info().name;
  model::RandomStream seeds({.seed = entropy, .generation = 0, .slot = 0, .purpose = "final verdict"});
  const GpuWatch::Look look = stack.gpu_look(recorder.info().uuid);
  verdict.clocks.watched = static_cast<bool>(look);
  for (int job = 0; job < verdict_jobs && verdict.failure.empty();) {
    if (stop.stop_requested()) return false;
    model::Experiment unseen = experiment;
    unseen.input_seed = seeds.below(std::uint64_t{1} << 62);
    unseen.gates.paired_rounds = verdict_rounds;
    gates::Ladder ladder(unseen, stack.compiler(), recorder, stack.virtual_device(), stack.known());
    // Nothing is decided on the way: every job has all its rounds, however the pairs come out.
    GpuWatch watch(look, watch_period);
    const auto paired = ladder.time_paired(variants[0], variants[1], 0);
    const std::optional<GpuState> state = watch.stop();
    if (!state || !state->tells_throttle) verdict.clocks.watched = false;
    // What failed is told, however hot the GPU was.
    if (paired && paired->comparison && note_clocks(verdict.clocks, state)) continue;
    ++job;
    verdict.input_seeds.push_back(*unseen.input_seed);
    if (!paired || !paired->comparison) {
      verdict.failure = "the two could not be timed in turn";
      if (paired && !paired->evidence.empty()) verdict.failure = paired->evidence.front().message;
    } else if (!add_samples(verdict, recorder.series)) {
      verdict.failure = "the samples of the jobs do not fit each other";
    }
  }
  return !stop.stop_requested();
}

void take_modelled(FinalVerdict& verdict, const engine::TrialRecord& baseline,
                   const engine::TrialRecord& champion) {
  for (const model::WorkloadLatency& one : champion.latencies) {
    const auto other = std::find_if(baseline.latencies.begin(), baseline.latencies.end(),
                                    [&](const auto& entry) { return entry.workload == one.workload; });
    if (other == baseline.latencies.end()) continue;
    verdict.series.push_back({one.workload,
                              one.weight,
                              {rounded(one.latency.microseconds, 15)},
                              {rounded(other->latency.microseconds, 15)}});
  }
}

}  // namespace

std::string_view name_of(Decision decision) {
  switch (decision) {
    case Decision::promoted:
      return "promoted";
    case Decision::tie:
      return "tie";
    case Decision::correct_slower:
      return "correct_slower";
    case Decision::not_valid:
      return "not_valid";
  }
  return "?";
}

std::size_t FinalVerdict::pairs() const {
  return series.empty() ? 0 : series.front().candidate_us.size();
}

measure::RatioInterval FinalVerdict::ratio() const {
  const measure::RatioInterval unknown{not_known, {not_known, not_known}};
  if (series.empty() || !failure.empty()) return unknown;
  const std::size_t rounds = pairs(), load = std::max<std::size_t>(rounds_a_load, 1);
  std::vector<double> loads((rounds + load - 1) / load, 0.0);
  double weights = 0;
  for (const gates::PairedSeries& one : series) weights += one.weight;
  for (std::size_t i = 0; i < loads.size(); ++i) {
    const std::size_t first = i * load, last = std::min(first + load, rounds);
    for (const gates::PairedSeries& one : series) {
      if (one.candidate_us.size() != rounds || one.opponent_us.size() != rounds) return unknown;
      for (std::size_t k = first; k < last; ++k)
        loads[i] += one.weight / weights * std::log(one.candidate_us[k] / one.opponent_us[k]) /
                    static_cast<double>(last - first);
    }
  }
  if (kind == model::LatencyKind::measured) return measure::ratio_interval(loads, verdict_confidence);
  const double exact = std::exp(loads.front());
  return {exact, {exact, exact}};
}

Decision FinalVerdict::decision() const {
  if (!failure.empty() || series.empty()) return Decision::not_valid;
  if (kind == model::LatencyKind::measured && pairs() < fewest_pairs) return Decision::not_valid;
  const measure::RatioInterval all = ratio();
  if (!std::isfinite(all.interval[0]) || !std::isfinite(all.interval[1])) return Decision::not_valid;
  if (all.interval[1] < 1 - margin) return Decision::promoted;
  return all.interval[0] > 1 + margin ? Decision::correct_slower : Decision::tie;
}

std::optional<FinalVerdict> judge_champion(const model::Experiment& experiment, EvaluationStack& stack,
                                           const engine::TrialRecord& baseline,
                                           const engine::TrialRecord& champion, std::uint64_t entropy,
                                           const std::stop_token& stop) {
  const auto latency = champion.latency();
  if (!latency || !baseline.latency()) return std::nullopt;
  FinalVerdict verdict;
  verdict.variant = champion.variant;
  verdict.baseline = baseline.variant;
  verdict.accuracy_class = experiment.accuracy_class;
  verdict.margin = experiment.gates.final_margin;
  if (champion.variant != baseline.variant)
    for (const model::CounterBound& bound : experiment.gates.counters)
      verdict.counter_bounds.push_back(model::text_of(bound));
  // The stack knows which kind its device gives; a trial's record only what it was given.
  verdict.kind = stack.ladder().info().latency_kind;
  verdict.device = stack.ladder().info().device_name;
  if (verdict.kind != model::LatencyKind::measured) {
    take_modelled(verdict, baseline, champion);
    return verdict;
  }
  const engine::SearchSpace space = engine::make_search_space(experiment);
  const std::array variants{variant_of(space, champion), variant_of(space, baseline)};
  if (!measure_all(verdict, experiment, stack, variants, entropy, stop)) return std::nullopt;
  return verdict;
}

}  // namespace evo::session
