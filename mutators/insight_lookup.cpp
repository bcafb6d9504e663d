#include "mutators/insight_lookup.hpp"

#include <cmath>

#include <fmt/format.h>

namespace evo::mutators {
namespace {
double percent(double log_effect) {
  return 100 * std::expm1(log_effect);
}
}  // namespace

const model::ValueEffect* find_effect(const Hints& hints, std::string_view gene, const model::Value& value) {
  if (hints.insights == nullptr) return nullptr;
  for (const model::ValueEffect& effect : hints.insights->effects) {
    if (effect.template_name == hints.template_name && effect.gene == gene && effect.value == value)
      return &effect;
  }
  return nullptr;
}

const model::FailurePattern* covering_pattern(const Hints& hints, const model::Genome& genome) {
  if (hints.insights == nullptr) return nullptr;
  for (const model::FailurePattern& pattern : hints.insights->failures) {
    if (pattern.template_name == hints.template_name && pattern.matches(genome.values())) return &pattern;
  }
  return nullptr;
}

std::optional<double> predicted_change(const Hints& hints, const model::Genome& from,
                                       const model::Genome& to) {
  std::optional<double> sum;
  for (const auto& [gene, value] : to.values()) {
    const model::Value& old = from.at(gene);
    if (old == value) continue;
    const auto* gained = find_effect(hints, gene, value);
    const auto* lost = find_effect(hints, gene, old);
    if (gained != nullptr && lost != nullptr) sum = sum.value_or(0) + gained->effect - lost->effect;
  }
  return sum;
}

std::string cite(const model::FailurePattern& pattern) {
  return fmt::format("{} ({}: {}{}{}, {} of {})", pattern.id, model::Genome(pattern.when).text(),
                     model::name_of(pattern.status), pattern.reason.empty() ? "" : " by ", pattern.reason,
                     pattern.count, pattern.of);
}

std::string cite(const model::ValueEffect& effect) {
  return fmt::format("{} ({}={}: {:+.1f} % [{:+.1f}, {:+.1f}], {} trials)", effect.id, effect.gene,
                     model::to_string(effect.value), percent(effect.effect), percent(effect.ci95[0]),
                     percent(effect.ci95[1]), effect.trials);
}

}  // namespace evo::mutators
