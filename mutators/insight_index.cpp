#include "mutators/insight_index.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace evo::mutators {
namespace {

double percent(double log_effect) {
  return 100 * std::expm1(log_effect);
}

/// Positions of a gene and its value; nullopt when the space lacks either.
std::optional<std::pair<std::size_t, std::uint16_t>> position(const model::Space& space,
                                                              std::string_view gene,
                                                              const model::Value& value) {
  const model::Gene* found = space.find(gene);
  const auto index = found != nullptr ? found->index_of(value) : std::nullopt;
  if (!index) return std::nullopt;
  return std::pair{static_cast<std::size_t>(found - space.genes().data()),
                   static_cast<std::uint16_t>(*index)};
}

}  // namespace

InsightIndex::InsightIndex(const model::Insights& insights, std::string_view template_name,
                           const CodedSpace& space) {
  for (std::size_t gene = 0; gene < space.genes(); ++gene) effects_.emplace_back(space.values(gene));
  for (const model::ValueEffect& effect : insights.effects) {
    if (effect.template_name != template_name) continue;
    if (const auto at = position(space.space(), effect.gene, effect.value))
      effects_[at->first][at->second] = &effect;
  }
  for (const model::FailurePattern& failure : insights.failures) {
    if (failure.template_name != template_name) continue;
    Pattern pattern{&failure, {}};
    for (const auto& [gene, value] : failure.when) {
      if (const auto at = position(space.space(), gene, value)) pattern.when.push_back(*at);
    }
    if (pattern.when.size() == failure.when.size()) patterns_.push_back(std::move(pattern));
  }
}

const model::FailurePattern* InsightIndex::covering(const Code& code) const {
  const auto found = std::ranges::find_if(patterns_, [&](const Pattern& pattern) {
    return std::ranges::all_of(pattern.when, [&](const auto& at) { return code[at.first] == at.second; });
  });
  return found == patterns_.end() ? nullptr : found->failure;
}

std::optional<double> InsightIndex::predicted_change(const Code& from, const Code& to) const {
  std::optional<double> sum;
  for (std::size_t gene = 0; gene < to.size(); ++gene) {
    if (from[gene] == to[gene]) continue;
    const auto* gained = effect(gene, to[gene]);
    const auto* lost = effect(gene, from[gene]);
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
