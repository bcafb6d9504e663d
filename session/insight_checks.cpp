#include "session/insight_checks.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "evaluators/gates/ladder.hpp"
#include "evaluators/gates/paired.hpp"
#include "model/edits.hpp"
#include "model/error.hpp"
#include "model/random.hpp"
#include "session/evaluation_stack.hpp"
#include "session/final_verdict.hpp"

namespace evo::session {
namespace {

namespace check_gates = evaluators::gates;
using check_gates::PairedSeries;

/// Keeps the samples of a job.
class CheckRecorder final : public check_gates::JobRunner {
 public:
  explicit CheckRecorder(check_gates::JobRunner& runner) : runner_(runner) {}
  [[nodiscard]] check_gates::DeviceResult run(const check_gates::DeviceJob& job) override {
    check_gates::DeviceResult result = runner_.run(job);
    series = result.paired;
    return result;
  }
  [[nodiscard]] evaluators::devices::DeviceInfo info() const override { return runner_.info(); }

  std::vector<PairedSeries> series;

 private:
  check_gates::JobRunner& runner_;
};

/// Adds a job's samples as they lie: in the second job the champion was the candidate.
bool add_check_samples(InsightCheck& check, std::vector<PairedSeries> more, bool swapped) {
  if (more.empty() || (!check.series.empty() && more.size() != check.series.size())) return false;
  const std::size_t rounds = more.front().candidate_us.size();
  for (PairedSeries& one : more) {
    if (rounds < 2 * check_gates::paired_rounds_a_load || one.candidate_us.size() != rounds ||
        one.opponent_us.size() != rounds)
      return false;
    if (swapped) std::swap(one.candidate_us, one.opponent_us);
  }
  check.rounds_a_load = check_gates::paired_rounds_a_load;
  if (check.series.empty()) {
    check.series = std::move(more);
    return true;
  }
  for (std::size_t i = 0; i < more.size(); ++i) {
    auto& [name, weight, flipped, champion] = check.series[i];
    flipped.insert(flipped.end(), more[i].candidate_us.begin(), more[i].candidate_us.end());
    champion.insert(champion.end(), more[i].opponent_us.begin(), more[i].opponent_us.end());
  }
  return true;
}

void time_in_turn(InsightCheck& check, const model::Experiment& experiment, EvaluationStack& stack,
                  const model::Variant& flipped, const model::Variant& champion) {
  const CheckTimer timer{experiment, stack.compiler(), stack.runner(), stack.virtual_device(), stack.known()};
  model::RandomStream seeds({.seed = stack.ladder().input_seed(),
                             .generation = 0,
                             .slot = 0,
                             .purpose = "insight check " + flipped.id});
  for (int job = 0; job < check_jobs; ++job) {
    const std::uint64_t seed = seeds.below(std::uint64_t{1} << 62);
    if (!timer.add_rounds(check, flipped, champion, seed, check_rounds, job % 2 == 1)) return;
  }
}

void take_modelled_latencies(InsightCheck& check, const std::vector<model::WorkloadLatency>& flipped,
                             const std::vector<model::WorkloadLatency>& champion) {
  for (const model::WorkloadLatency& one : flipped) {
    const auto other = std::find_if(champion.begin(), champion.end(),
                                    [&](const auto& entry) { return entry.workload == one.workload; });
    if (other == champion.end()) continue;
    check.series.push_back(
        {one.workload, one.weight, {one.latency.microseconds}, {other->latency.microseconds}});
  }
}

bool is_made(const std::vector<InsightCheck>& made, const model::Environment& to) {
  return std::any_of(made.begin(), made.end(), [&](const InsightCheck& check) { return check.to == to; });
}

bool is_tie(const std::vector<InsightCheck>& made, const model::Environment& to) {
  return std::any_of(made.begin(), made.end(), [&](const InsightCheck& check) {
    return check.to == to && status_of(check, made.size()) == CheckStatus::refuted;
  });
}

/// The smallest set of the champion's changed genes, this one among them, that goes back to a legal genome;
/// of two alike, the first by name. The gene alone where none of up to four is.
model::Environment smallest_legal(const model::Space& space, const model::Genome& champion,
                                  const model::Environment& changed, const model::Environment& one) {
  const auto legal = [&](const model::Environment& to) {
    model::Genome genome = champion;
    for (const auto& [gene, value] : to) genome.set(gene, value);
    return space.legal(genome);
  };
  if (legal(one)) return one;
  constexpr std::size_t most_genes = 4;
  std::vector<model::Environment> sets{one};
  for (std::size_t size = 2; size <= most_genes; ++size) {
    std::vector<model::Environment> larger;
    for (const model::Environment& set : sets) {
      // Each set once: what joins stands behind all that joined before.
      std::string last;
      for (const auto& [gene, value] : set)
        if (!one.contains(gene)) last = std::max(last, gene);
      for (const auto& gene : changed) {
        if (gene.first <= last || set.contains(gene.first)) continue;
        larger.push_back(set);
        larger.back().insert(gene);
        if (legal(larger.back())) return larger.back();
      }
    }
    sets = std::move(larger);
  }
  return one;
}

}  // namespace

std::string_view name_of(CheckStatus status) {
  switch (status) {
    case CheckStatus::untested:
      return "untested";
    case CheckStatus::confirmed:
      return "confirmed";
    case CheckStatus::refuted:
      return "refuted";
    case CheckStatus::inconclusive:
      return "inconclusive";
  }
  return "?";
}

std::size_t InsightCheck::pairs() const {
  return series.empty() ? 0 : series.front().candidate_us.size();
}

evaluators::measure::RatioInterval InsightCheck::ratio(double confidence) const {
  constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  const std::size_t rounds = pairs(), load = std::max<std::size_t>(rounds_a_load, 1);
  double weights = 0;
  for (const PairedSeries& one : series) weights += one.weight;
  std::vector<double> loads((rounds + load - 1) / load, 0.0);
  for (const PairedSeries& one : series) {
    if (one.candidate_us.size() != rounds || one.opponent_us.size() != rounds)
      return {unknown, {unknown, unknown}};
    for (std::size_t i = 0; i < rounds; ++i) {
      const std::size_t at = i / load, in_load = std::min(load, rounds - at * load);
      loads[at] += one.weight / weights * std::log(one.candidate_us[i] / one.opponent_us[i]) /
                   static_cast<double>(in_load);
    }
  }
  if (loads.empty()) return {unknown, {unknown, unknown}};
  if (kind == model::LatencyKind::measured) return evaluators::measure::ratio_interval(loads, confidence);
  const double exact = std::exp(loads.front());
  return {exact, {exact, exact}};
}

double confidence_of(std::size_t checks) {
  return std::max(check_confidence, 1 - checks_error / static_cast<double>(std::max<std::size_t>(checks, 1)));
}

CheckStatus status_of(const InsightCheck& check, std::size_t checks) {
  const auto [ratio, interval] = check.ratio(confidence_of(checks));
  if (!check.refused.empty() || !std::isfinite(interval[0]) || !std::isfinite(interval[1]))
    return CheckStatus::inconclusive;
  if (interval[0] > 1 + practical_margin) return CheckStatus::confirmed;
  return interval[1] <= 1 + practical_margin ? CheckStatus::refuted : CheckStatus::inconclusive;
}

model::Genome first_values(const engine::SearchSpace& space, const engine::TrialRecord& champion) {
  const engine::SearchTemplate& baselines = space.templates.at(space.baseline_template);
  if (baselines.kernel_template.name == champion.template_name) return space.baseline;
  const engine::SearchTemplate* entry = space.find(champion.template_name);
  return entry != nullptr ? entry->space.initial() : champion.genome;
}

std::vector<model::Environment> steps_back(const engine::SearchSpace* space,
                                           const engine::TrialRecord& champion, const model::Genome& first) {
  model::Environment changed;
  for (const auto& [gene, value] : champion.genome.values()) {
    const auto was = first.values().find(gene);
    if (was != first.values().end() && was->second != value) changed.insert(*was);
  }
  const engine::SearchTemplate* entry = space != nullptr ? space->find(champion.template_name) : nullptr;
  std::vector<model::Environment> steps;
  for (const auto& gene : changed) {
    model::Environment step{gene};
    if (entry != nullptr) step = smallest_legal(entry->space, champion.genome, changed, step);
    if (std::find(steps.begin(), steps.end(), step) == steps.end()) steps.push_back(std::move(step));
  }
  for (const auto& [name, edit] : champion.genome.values()) {
    const auto was = first.values().find(name);
    if (model::names_an_edit(name) && (was == first.values().end() || was->second != edit))
      steps.push_back({{name, std::string(model::no_edit)}});
  }
  return steps;
}

std::optional<model::Environment> next_check(const engine::SearchSpace& space,
                                             const engine::TrialRecord& champion,
                                             const std::vector<InsightCheck>& made, std::int64_t most) {
  if (static_cast<std::int64_t>(made.size()) >= most) return std::nullopt;
  model::Environment refuted;
  for (const model::Environment& step : steps_back(&space, champion, first_values(space, champion))) {
    if (!is_made(made, step)) return step;
    if (is_tie(made, step)) refuted.insert(step.begin(), step.end());
  }
  if (refuted.size() < 2) return std::nullopt;
  if (!is_made(made, refuted)) return refuted;
  if (is_tie(made, refuted)) return std::nullopt;
  model::Environment together{*refuted.begin()};
  for (const auto& gene : refuted) {
    model::Environment more = together;
    if (!more.insert(gene).second) continue;
    if (!is_made(made, more)) return more;
    if (is_tie(made, more)) together = std::move(more);
  }
  return std::nullopt;
}

model::Environment reducible(const std::vector<InsightCheck>& made, const model::Genome& first) {
  // Of sets that gain for certain the one that gains most; else the largest, of two alike the faster.
  using Worth = std::tuple<double, std::size_t, double>;
  const auto worth_of = [&](const InsightCheck& check) {
    const auto [ratio, interval] = check.ratio(confidence_of(made.size()));
    const double gain = interval[1] < 1 - practical_margin ? 1 - ratio : 0;
    return Worth{gain, check.to.size(), -ratio};
  };
  model::Environment most;
  Worth best{0, 0, 0};
  for (const InsightCheck& check : made) {
    const bool goes_back = std::all_of(check.to.begin(), check.to.end(), [&](const auto& gene) {
      if (model::names_an_edit(gene.first)) return gene.second == model::Value(std::string(model::no_edit));
      const auto was = first.values().find(gene.first);
      return was != first.values().end() && was->second == gene.second;
    });
    if (!goes_back || check.to.empty() || status_of(check, made.size()) != CheckStatus::refuted) continue;
    const Worth worth = worth_of(check);
    if (!most.empty() && worth <= best) continue;
    most = check.to;
    best = worth;
  }
  return most;
}

bool CheckTimer::add_rounds(InsightCheck& check, const model::Variant& flipped,
                            const model::Variant& champion, std::uint64_t input_seed, int rounds,
                            bool swapped) const {
  CheckRecorder recorder(runner);
  model::Experiment own = experiment;
  own.input_seed = input_seed;
  own.gates.paired_rounds = rounds;
  own.gates.counters.clear();  // nobody counts here
  check_gates::Ladder ladder(own, compiler, recorder, virtual_device, known);
  // Nothing is decided on the way: every job has all its rounds, however the pairs come out.
  const auto paired =
      swapped ? ladder.time_paired(champion, flipped, 0) : ladder.time_paired(flipped, champion, 0);
  if (paired && paired->comparison && add_check_samples(check, recorder.series, swapped)) return true;
  check.series.clear();
  check.refused = "the two could not be timed in turn";
  return false;
}

InsightCheck begin_check(const engine::SearchSpace& space, const engine::TrialRecord& champion,
                         const model::Environment& to, model::LatencyKind kind) {
  if (space.find(champion.template_name) == nullptr)
    throw model::Exception(model::ExitCode::failed,
                           fmt::format("the champion's template {} is not there", champion.template_name));
  InsightCheck check;
  check.template_name = champion.template_name;
  check.champion = champion.variant;
  check.to = to;
  check.kind = kind;
  for (const auto& [gene, value] : to) check.from.insert_or_assign(gene, champion.genome.at(gene));
  return check;
}

std::optional<model::Variant> flipped_variant(const engine::SearchSpace& space,
                                              const engine::TrialRecord& champion, InsightCheck& check) {
  const engine::SearchTemplate& entry = *space.find(champion.template_name);
  const model::Genome genome = model::with_values(champion.genome, check.to);
  if (const auto violation = entry.space.violation(genome)) {
    check.refused = "illegal: " + *violation;
    return std::nullopt;
  }
  model::Variant flipped = model::make_variant(entry.kernel_template, entry.space, genome);
  check.flipped = flipped.id;
  return flipped;
}

InsightCheck make_check(const model::Experiment& experiment, const engine::SearchSpace& space,
                        EvaluationStack& stack, const engine::TrialRecord& champion,
                        const model::Environment& to) {
  const auto begun = std::chrono::steady_clock::now();
  InsightCheck check = begin_check(space, champion, to, stack.ladder().info().latency_kind);
  const auto variant = flipped_variant(space, champion, check);
  if (!variant) return check;
  const model::Variant& flipped = *variant;
  const engine::SearchTemplate* entry = space.find(champion.template_name);
  const check_gates::GateReport report = check_gates::prove(stack.ladder(), flipped);
  if (const model::Failure* failure = report.failure()) {
    check.refused = fmt::format("{} ({})", model::name_of(failure->status), failure->reason);
  } else if (check.kind == model::LatencyKind::measured) {
    time_in_turn(check, experiment, stack, flipped,
                 model::make_variant(entry->kernel_template, entry->space, champion.genome));
  } else {
    take_modelled_latencies(check, report.evaluation.latencies, champion.latencies);
  }
  check.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
  return check;
}

}  // namespace evo::session
