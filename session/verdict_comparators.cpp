#include "session/verdict_comparators.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "evaluators/benchmark/kernel_contender.hpp"
#include "model/random.hpp"
#include "packs/builtin.hpp"
#include "session/comparator_pairs.hpp"
#include "session/comparator_prover.hpp"

namespace evo::session {
namespace {

namespace gates = evaluators::gates;

/// Whether evo itself brings other libraries for the problem.
bool has_libraries(const model::Problem& problem) {
  const packs::Pack* pack = packs::find_pack(packs::builtin(), problem.oracle);
  return pack != nullptr && pack->contenders != nullptr;
}

TimedPairs pairs_against(const std::string& name, model::LatencyKind kind,
                         const model::Experiment& experiment) {
  TimedPairs pairs;
  pairs.against = name;
  pairs.kind = kind;
  pairs.cache = experiment.gates.cache;
  return pairs;
}

/// Of those that are in `wanted`, for one reason.
TimedPairs none_of(const std::vector<model::Comparator>& wanted, model::LatencyKind kind,
                   const model::Experiment& experiment, const std::string& why) {
  TimedPairs none = pairs_against("libraries for " + experiment.problem.oracle, kind, experiment);
  if (!wanted.empty()) none.against.clear();
  for (const model::Comparator& one : wanted) none.against += (none.against.empty() ? "" : ", ") + one.name;
  none.failure = why;
  return none;
}

/// Why it has no place beside a champion; empty: it has one.
std::string refusal_of(const gates::GateReport& report) {
  const model::Failure* failure = report.failure();
  return failure == nullptr ? std::string()
                            : report.failed_gate() + ": " + evaluators::benchmark::line_of(*failure);
}

}  // namespace

std::vector<TimedPairs> comparators_measured(const model::Experiment& experiment, EvaluationStack& stack,
                                             const model::Variant& champion, std::uint64_t entropy,
                                             const std::stop_token& stop) {
  const model::Problem& problem = experiment.problem;
  const std::vector<model::Comparator> comparators = model::comparators_of(problem);
  if (comparators.empty() && !has_libraries(problem)) return {};
  constexpr auto measured = model::LatencyKind::measured;
  if (!stack.comparators()) return {none_of(comparators, measured, experiment, "nobody can run them here")};
  const evaluators::Prepared prepared = stack.ladder().prepare(champion);
  if (prepared.failed())
    return {none_of(comparators, measured, experiment, "the champion does not compile any more")};
  std::vector<TimedPairs> refused;
  ComparatorJob job;
  job.job = stack.ladder().launches_to_profile(prepared);
  job.problem_folder = problem.folder;
  job.comparators = comparators;
  job.named = !problem.comparators.empty();
  std::optional<ComparatorProver> prover;
  for (const model::Comparator& one : comparators) {
    if (!one.kernel || stop.stop_requested()) continue;
    if (!prover) prover.emplace(experiment, stack);
    const gates::GateReport report = prover->prove(one);
    if (const std::string why = refusal_of(report); why.empty())
      job.kernels.push_back({one.name, prover->launches_of(report)});
    else
      refused.push_back(none_of({one}, measured, experiment, why));
  }
  prover.reset();  // its process holds memory of the GPU
  model::RandomStream seeds(
      {.seed = entropy, .generation = 0, .slot = 0, .purpose = "final verdict against comparators"});
  for (int i = 0; i < verdict_jobs; ++i) job.seeds.push_back(seeds.below(std::uint64_t{1} << 62));
  std::vector<TimedPairs> all = stack.comparators()(job, stop);
  all.insert(all.end(), std::make_move_iterator(refused.begin()), std::make_move_iterator(refused.end()));
  return all;
}

std::vector<TimedPairs> comparators_modelled(const model::Experiment& experiment, EvaluationStack& stack,
                                             const engine::TrialRecord& champion,
                                             const std::stop_token& stop) {
  constexpr auto modelled = model::LatencyKind::modelled;
  std::vector<TimedPairs> all;
  std::vector<model::Comparator> libraries = model::comparators_of(experiment.problem);
  const bool any = !libraries.empty() || has_libraries(experiment.problem);
  std::erase_if(libraries, [](const model::Comparator& one) { return one.kernel != nullptr; });
  std::optional<ComparatorProver> prover;
  for (const model::Comparator& one : experiment.problem.comparators) {
    if (!one.kernel || stop.stop_requested()) continue;
    if (!prover) prover.emplace(experiment, stack);
    TimedPairs& pairs = all.emplace_back(pairs_against(one.name, modelled, experiment));
    const gates::GateReport report = prover->prove(one);
    pairs.failure = refusal_of(report);
    for (const model::WorkloadLatency& own : champion.latencies) {
      const auto& theirs = report.evaluation.latencies;
      const auto other = std::find_if(theirs.begin(), theirs.end(),
                                      [&](const auto& entry) { return entry.workload == own.workload; });
      if (other == theirs.end()) continue;
      pairs.series.push_back({own.workload,
                              own.weight,
                              {rounded_to(own.latency.microseconds, 15)},
                              {rounded_to(other->latency.microseconds, 15)}});
    }
    if (pairs.failure.empty() && pairs.series.empty()) pairs.failure = "it has no modelled latency";
  }
  if (any && (all.empty() || !libraries.empty()))
    all.push_back(
        none_of(libraries, modelled, experiment, "other libraries are not modelled: they run on a GPU"));
  return all;
}

}  // namespace evo::session
