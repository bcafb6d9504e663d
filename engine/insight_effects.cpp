#include "engine/insight_effects.hpp"

#include <cmath>

#include "engine/statistics.hpp"

namespace evo::engine {
namespace {

struct Sample {
  const TrialRecord* trial;
  double log_latency;
};

}  // namespace

std::vector<model::ValueEffect> value_effects(const SearchTemplate& entry,
                                              std::span<const TrialRecord> history) {
  std::vector<Sample> samples;
  std::vector<double> all;
  for (const TrialRecord& trial : history) {
    const auto latency = trial.latency();
    if (trial.template_name != entry.kernel_template.name || !trial.correct() || !latency) continue;
    samples.push_back({&trial, std::log(latency->microseconds)});
    all.push_back(samples.back().log_latency);
  }
  const double mean = moments(all).mean;
  std::vector<model::ValueEffect> effects;
  for (const model::Gene& gene : entry.space.genes()) {
    for (const model::Value& value : gene.values) {
      std::vector<double> with, rest;
      for (const Sample& sample : samples) {
        (sample.trial->genome.at(gene.name) == value ? with : rest).push_back(sample.log_latency);
      }
      if (with.size() < 2 || rest.size() < 2) continue;
      const Moments inside = moments(with);
      const double effect = inside.mean - mean;
      const double share_of_rest = static_cast<double>(rest.size()) / static_cast<double>(samples.size());
      const double half = share_of_rest * welch_half_width(inside, moments(rest));
      effects.push_back({{},
                         entry.kernel_template.name,
                         gene.name,
                         value,
                         effect,
                         {effect - half, effect + half},
                         inside.n});
    }
  }
  return effects;
}

}  // namespace evo::engine
