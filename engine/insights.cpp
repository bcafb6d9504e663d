#include "engine/insights.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "engine/insight_effects.hpp"
#include "engine/insight_failures.hpp"

namespace evo::engine {

model::Insights compute_insights(const SearchSpace& space, std::span<const TrialRecord> history,
                                 int generation, const InsightSettings& settings) {
  model::Insights insights;
  insights.generation = generation;
  insights.trials = static_cast<std::int64_t>(history.size());
  for (const SearchTemplate& entry : space.templates) {
    for (auto& effect : value_effects(entry, history)) {
      effect.id = fmt::format("g{}-e{}", generation, insights.effects.size() + 1);
      insights.effects.push_back(std::move(effect));
    }
    for (auto& pattern : failure_patterns(entry, history, settings)) {
      pattern.id = fmt::format("g{}-f{}", generation, insights.failures.size() + 1);
      insights.failures.push_back(std::move(pattern));
    }
  }
  return insights;
}

std::int64_t visible_trials(std::int64_t index, int max_in_flight) {
  return std::max<std::int64_t>(0, index - std::max(max_in_flight, 1) + 1);
}

double diversity(std::span<const TrialRecord> trials) {
  if (trials.size() < 2) return 0;
  double sum = 0;
  std::int64_t pairs = 0;
  for (std::size_t i = 0; i < trials.size(); ++i) {
    for (std::size_t j = i + 1; j < trials.size(); ++j, ++pairs) {
      if (trials[i].template_name != trials[j].template_name) {
        sum += 1;
        continue;
      }
      const auto& values = trials[i].genome.values();
      const auto differing = std::count_if(values.begin(), values.end(), [&](const auto& gene) {
        // An edit of the source may have no counterpart.
        const auto& others = trials[j].genome.values();
        const auto other = others.find(gene.first);
        return other == others.end() || other->second != gene.second;
      });
      if (!values.empty()) sum += static_cast<double>(differing) / static_cast<double>(values.size());
    }
  }
  return sum / static_cast<double>(pairs);
}

}  // namespace evo::engine
