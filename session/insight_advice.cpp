#include "session/insight_advice.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "model/edits.hpp"
#include "session/final_verdict.hpp"
#include "session/nearby_pairs.hpp"

namespace evo::session {
namespace {

using engine::TrialRecord;
using Runs = std::span<const std::span<const TrialRecord>>;

double percent_of(double log_effect) {
  return 100 * std::expm1(log_effect);
}

/// Values of the champion's genes that no correct trial has, and no failure explains away.
std::vector<std::string> unknown_values(const engine::SearchTemplate& entry, Runs histories) {
  std::vector<std::string> unknown;
  std::set<std::pair<std::string, model::Value>> tried;
  for (const auto& history : histories)
    for (const TrialRecord& trial : history)
      if (trial.template_name == entry.kernel_template.name)
        for (const auto& [gene, value] : trial.genome.values()) tried.emplace(gene, value);
  for (const model::Gene& gene : entry.space.genes()) {
    if (gene.role == model::GeneRole::sync) continue;
    for (const model::Value& value : gene.values)
      if (!tried.contains({gene.name, value}))
        unknown.push_back(fmt::format("{}={}", gene.name, model::to_string(value)));
  }
  return unknown;
}

bool is_untested(const InsightSummary& summary, const model::Environment& values) {
  for (const ClaimTested& one : summary.claims)
    if (one.claim.values == values) return one.tested.status == CheckStatus::untested;
  for (const GeneWorth& one : summary.genes)
    if (one.was == values) return one.tested.status == CheckStatus::untested;
  return true;
}

/// What speaks for a value beside its effect; nullopt: something speaks against it.
std::optional<std::string> nearby_text(const std::optional<NearbyPairs>& nearby) {
  if (!nearby) return "; no two trials differ by it alone";
  // The champion itself was tried with it, and is still the champion.
  if (nearby->changes == 0) return std::nullopt;
  if (2 * nearby->failed >= nearby->pairs || nearby->ratio >= 1 - practical_margin) return std::nullopt;
  return fmt::format("; alone, {} gene{} from the champion: {:+.1f} %, {} pair{}", nearby->changes,
                     nearby->changes == 1 ? "" : "s", 100 * (nearby->ratio - 1), nearby->pairs,
                     nearby->pairs == 1 ? "" : "s");
}

/// Changes of the champion that a comparison has shown to be no worse.
void take_what_is_shown(const InsightSummary& summary, std::vector<Suggestion>& next) {
  if (!summary.goes_back.empty() && !summary.went_back)
    next.push_back({fmt::format("take back: {}; simpler, and as fast", back_text(summary)),
                    fmt::format("variant {}", summary.reduced_variant)});
  for (const GeneWorth& one : summary.genes) {
    if (!std::isfinite(one.tested.ratio.ratio) || one.tested.ratio.interval[1] >= 1 - practical_margin)
      continue;
    next.push_back({fmt::format("take back: {}; it is faster", model::change_text(one.now, one.was)),
                    fmt::format("compared, {:.3f}x the champion's latency", one.tested.ratio.ratio)});
  }
  for (const ClaimTested& one : summary.claims) {
    const bool faster = one.claim.kind == ClaimKind::gene && std::isfinite(one.tested.ratio.ratio) &&
                        one.tested.ratio.interval[1] < 1 - practical_margin;
    const bool said = std::ranges::any_of(
        summary.genes, [&](const GeneWorth& gene) { return gene.was == one.claim.values; });
    if (!faster || said) continue;
    next.push_back({fmt::format("take {}; it is faster", model::Genome(one.claim.values).text()),
                    fmt::format("compared on the champion, {:.3f}x its latency", one.tested.ratio.ratio)});
  }
}

void try_values(const InsightSummary& summary, const engine::SearchTemplate* entry,
                const engine::JointFit& fit, Runs histories, std::vector<Suggestion>& next) {
  // Wide intervals are no advice.
  constexpr double useful = 0.1;
  std::vector<const engine::JointEffect*> gains;
  for (const engine::JointEffect& effect : fit.effects) {
    const bool gain = effect.effect < -std::log1p(practical_margin) && effect.interval[1] < useful;
    // The place of an edit in its list is no gene: the same text at another place is another value.
    const bool edit = std::ranges::any_of(
        effect.values, [](const auto& value) { return model::names_an_edit(value.first); });
    if (effect.values.size() == 1 && gain && !edit && is_untested(summary, effect.values))
      gains.push_back(&effect);
  }
  if (gains.empty()) return;
  std::ranges::stable_sort(gains, [](const auto* a, const auto* b) { return a->effect < b->effect; });
  const TriedGenomes tried(histories, *summary.champion);
  for (const engine::JointEffect* effect : gains) {
    if (entry != nullptr && !entry->space.legal(model::with_values(summary.champion->genome, effect->values)))
      continue;
    const auto nearby = nearby_text(tried.nearest(effect->values));
    if (!nearby) continue;
    next.push_back({fmt::format("try {} on the champion", model::Genome(effect->values).text()),
                    fmt::format("{:+.1f} % [{:+.1f}, {:+.1f}] over {} trials{}{}", percent_of(effect->effect),
                                percent_of(effect->interval[0]), percent_of(effect->interval[1]),
                                effect->trials, effect->significant() ? "" : ", not certain", *nearby)});
  }
}

void test_more(const InsightSummary& summary, std::vector<Suggestion>& next) {
  std::size_t untested = 0;
  for (const GeneWorth& one : summary.genes) untested += one.tested.status == CheckStatus::untested ? 1 : 0;
  for (const ClaimTested& one : summary.claims)
    untested += one.tested.status == CheckStatus::untested ? one.claim.values.size() : 0;
  if (untested > 0)
    next.push_back({fmt::format("test what is untested: evo resume RUN --insight-checks {}", untested),
                    "changes of the champion that nobody tried alone"});
}

void try_unknown(const InsightSummary& summary, const engine::SearchTemplate& entry, Runs histories,
                 std::vector<Suggestion>& next) {
  const std::vector<std::string> unknown = unknown_values(entry, histories);
  if (unknown.empty()) return;
  constexpr std::size_t shown = 6;
  std::string text = "values that no trial has: ";
  for (std::size_t i = 0; i < std::min(unknown.size(), shown); ++i) text += (i == 0 ? "" : ", ") + unknown[i];
  if (unknown.size() > shown) text += fmt::format(" and {} more", unknown.size() - shown);
  next.push_back({text, fmt::format("{} trials", summary.trials)});
}

}  // namespace

std::vector<Suggestion> advice_of(const InsightSummary& summary, const engine::SearchSpace* space,
                                  const engine::JointFit& fit, Runs histories) {
  const engine::SearchTemplate* entry =
      space != nullptr ? space->find(summary.champion->template_name) : nullptr;
  std::vector<Suggestion> next;
  take_what_is_shown(summary, next);
  try_values(summary, entry, fit, histories, next);
  test_more(summary, next);
  if (entry != nullptr) try_unknown(summary, *entry, histories, next);
  return next;
}

}  // namespace evo::session
