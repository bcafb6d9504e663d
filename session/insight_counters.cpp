// What genes do to counters, for the summary of a run.
#include <algorithm>

#include "session/insight_summary.hpp"

namespace evo::session {

std::vector<std::string> bounded_counters(const model::Experiment& experiment) {
  std::vector<std::string> names;
  for (const model::CounterBound& bound : experiment.gates.counters)
    if (std::ranges::find(names, bound.counter) == names.end()) names.push_back(bound.counter);
  return names;
}

void add_counter_effects(InsightSummary& summary, const RunRecords& run, std::span<const RunRecords> others,
                         const std::optional<std::vector<std::string>>& counters) {
  if (!summary.champion) return;
  // The same trials as the summary's.
  const auto end = std::ranges::find_if(
      run.trials, [&](const engine::TrialRecord& trial) { return trial.generation > summary.generation; });
  std::vector<engine::CountedTrials> counted{engine::counted_trials(run.events)};
  for (const RunRecords& other : others) counted.push_back(engine::counted_trials(other.events));
  std::vector<engine::CountedHistory> histories{{{run.trials.begin(), end}, &counted.front()}};
  for (std::size_t i = 0; i < others.size(); ++i) histories.push_back({others[i].trials, &counted[i + 1]});
  std::vector<std::string> names;
  if (counters) {
    names = *counters;
  } else {
    engine::CountedTrials all;
    std::int64_t any = 0;
    for (const engine::CountedTrials& one : counted)
      for (const auto& [trial, reading] : one) all.emplace(any++, reading);
    names = engine::counters_of(all);
  }
  summary.counters =
      engine::counter_effects(histories, summary.champion->template_name, summary.champion->genome, names);
}

}  // namespace evo::session
