#include "session/nearby_pairs.hpp"

#include <algorithm>
#include <cmath>

#include "model/edits.hpp"
#include "session/insight_rules.hpp"

namespace evo::session {
namespace {

using engine::TrialRecord;

/// A trial that ended by itself, or whose original's end is known.
bool says_something(const TrialRecord& trial) {
  return trial.status != model::Status::duplicate || !trial.latencies.empty();
}

std::size_t changes_between(const model::Genome& one, const model::Genome& champion) {
  std::size_t changes = 0;
  for (const auto& [gene, value] : champion.values()) changes += has_value(one.values(), gene, value) ? 0 : 1;
  for (const auto& [gene, value] : one.values()) changes += champion.values().contains(gene) ? 0 : 1;
  return changes;
}

}  // namespace

TriedGenomes::TriedGenomes(std::span<const std::span<const TrialRecord>> histories,
                           const TrialRecord& champion)
    : champion_(champion) {
  for (const auto& history : histories) {
    auto& run = runs_.emplace_back();
    for (const TrialRecord& trial : history)
      if (trial.template_name == champion.template_name && says_something(trial))
        run.emplace(trial.genome.text(), &trial);
  }
}

std::optional<NearbyPairs> TriedGenomes::nearest(const model::Environment& values) const {
  model::Environment own;
  for (const auto& [gene, value] : values) {
    const auto found = champion_.genome.values().find(gene);
    if (found == champion_.genome.values().end()) return std::nullopt;
    own.insert(*found);
  }
  std::optional<NearbyPairs> nearest;
  double sum = 0;
  for (const auto& run : runs_) {
    for (const auto& [text, changed] : run) {
      if (!matches(*changed, champion_, values)) continue;
      const model::Genome before = model::with_values(changed->genome, own);
      const auto unchanged = run.find(before.text());
      if (unchanged == run.end() || !unchanged->second->latency()) continue;
      const std::size_t changes = changes_between(before, champion_.genome);
      if (nearest && changes > nearest->changes) continue;
      if (!nearest || changes < nearest->changes) {
        nearest = NearbyPairs{changes};
        sum = 0;
      }
      ++nearest->pairs;
      if (const auto latency = changed->latency())
        sum += std::log(latency->microseconds / unchanged->second->latency()->microseconds);
      else
        ++nearest->failed;
    }
  }
  if (nearest && nearest->failed < nearest->pairs)
    nearest->ratio = std::exp(sum / static_cast<double>(nearest->pairs - nearest->failed));
  return nearest;
}

}  // namespace evo::session
