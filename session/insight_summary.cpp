#include "session/insight_summary.hpp"

#include <algorithm>
#include <cmath>

#include "engine/insights.hpp"
#include "model/edits.hpp"
#include "session/insight_advice.hpp"
#include "session/reduction.hpp"
#include "session/variants.hpp"

namespace evo::session {
namespace {

using engine::TrialRecord;
using Histories = std::vector<std::span<const TrialRecord>>;

model::Genome held_against(const engine::SearchSpace* space, std::span<const TrialRecord> trials,
                           const TrialRecord& champion) {
  if (space != nullptr) return first_values(*space, champion);
  const auto first = std::find_if(trials.begin(), trials.end(), [&](const TrialRecord& trial) {
    return trial.template_name == champion.template_name;
  });
  return first == trials.end() ? champion.genome : first->genome;
}

/// Adds those that the trials are already.
void add_known(std::vector<InsightCheck>& checks, const engine::SearchSpace* space,
               std::span<const TrialRecord> trials, const TrialRecord& champion, const model::Genome& first,
               const std::vector<Claim>& claims) {
  const auto add = [&](const model::Environment& to) {
    const bool made =
        std::any_of(checks.begin(), checks.end(), [&](const auto& one) { return one.to == to; });
    if (made) return;
    if (auto known = known_check(trials, champion, to)) checks.push_back(std::move(*known));
  };
  for (const model::Environment& step : steps_back(space, champion, first)) add(step);
  for (const Claim& claim : claims)
    for (const model::Environment& to : checks_of(claim, champion, trials)) add(to);
}

std::vector<GeneWorth> worths(const InsightSummary& summary, const std::vector<model::Environment>& steps,
                              const engine::JointFit& fit, std::span<const TrialRecord> trials,
                              const std::vector<InsightCheck>& checks) {
  std::vector<GeneWorth> genes;
  for (const model::Environment& step : steps) {
    GeneWorth worth{step, {}, {}, {}, {}};
    for (const auto& [gene, value] : step) worth.now.emplace(gene, summary.champion->genome.at(gene));
    // That it is slower without is the claim, whatever the estimate says.
    const Claim back{ClaimKind::gene, step, 1};
    worth.tested = test_of(back, *summary.champion, trials, checks);
    if (std::isfinite(worth.tested.ratio.ratio) && summary.speedup > 1)
      worth.share = std::log(worth.tested.ratio.ratio) / std::log(summary.speedup);
    for (const engine::JointEffect& effect : fit.effects)
      if (effect.values == step) worth.estimated = effect;
    genes.push_back(std::move(worth));
  }
  const auto weight = [](const GeneWorth& one) {
    if (std::isfinite(one.tested.ratio.ratio)) return std::log(one.tested.ratio.ratio);
    return one.estimated ? one.estimated->effect : -1.0;
  };
  std::stable_sort(genes.begin(), genes.end(),
                   [&](const auto& a, const auto& b) { return weight(a) > weight(b); });
  return genes;
}

const model::Insights* insights_at(const std::vector<model::Insights>& insights,
                                   std::optional<int> generation) {
  const model::Insights* found = nullptr;
  // What was known after a generation is what the next one's proposals were made with.
  for (const model::Insights& one : insights)
    if (!generation || one.generation <= *generation + 1) found = &one;
  return found;
}

engine::JointFit fit_of(const Histories& histories, const TrialRecord& champion) {
  return engine::joint_effects(histories, champion.template_name, champion.genome);
}

}  // namespace

std::vector<Claim> claims_of_run(std::span<const TrialRecord> trials,
                                 const std::vector<model::Insights>& insights, const TrialRecord& champion) {
  const model::Insights* last = insights_at(insights, std::nullopt);
  return claims_of(champion, fit_of({trials}, champion),
                   last != nullptr ? std::span<const model::FailurePattern>(last->failures)
                                   : std::span<const model::FailurePattern>(),
                   trials);
}

InsightSummary summarize(const RunRecords& run, const engine::SearchSpace* space,
                         std::optional<int> generation, std::span<const RunRecords> others) {
  InsightSummary summary;
  std::span<const TrialRecord> trials = run.trials;
  const int last = trials.empty() ? 0 : trials.back().generation;
  summary.generation = generation ? std::min(*generation, last) : last;
  const auto end = std::find_if(trials.begin(), trials.end(), [&](const TrialRecord& trial) {
    return trial.generation > summary.generation;
  });
  const bool whole = end == trials.end();
  trials = trials.first(static_cast<std::size_t>(end - trials.begin()));
  summary.runs = 1 + others.size();
  Histories histories{trials};
  for (const RunRecords& other : others) histories.emplace_back(other.trials);
  for (const auto& history : histories) summary.trials += static_cast<std::int64_t>(history.size());
  if (trials.empty()) return summary;
  const std::vector<engine::EventRecord> events = whole ? run.events : std::vector<engine::EventRecord>{};
  const std::vector<TrialRecord> own(trials.begin(), trials.end());
  const TrialRecord* champion = find_champion(own, events);
  if (trials.front().correct()) summary.baseline = trials.front();
  if (champion == nullptr) return summary;
  summary.champion = *champion;
  if (!champion->latencies.empty()) summary.kind = champion->latencies.front().latency.kind;
  if (summary.baseline && champion->latency())
    summary.speedup = summary.baseline->latency()->microseconds / champion->latency()->microseconds;
  const engine::JointFit fit = fit_of(histories, *champion);
  summary.noise = fit.noise;
  summary.correct_trials = fit.trials;
  const model::Insights* known = insights_at(run.insights, summary.generation);
  std::vector<Claim> claims =
      claims_of(*champion, fit,
                known != nullptr ? std::span<const model::FailurePattern>(known->failures)
                                 : std::span<const model::FailurePattern>(),
                trials);
  const model::Genome first = held_against(space, trials, *champion);
  std::vector<InsightCheck> checks = find_checks(events, champion->index);
  // A smaller claim may be decided by trials that the larger one did not ask for.
  for (std::size_t before = checks.size() + 1; before != checks.size();) {
    before = checks.size();
    add_known(checks, space, trials, *champion, first, claims);
    claims = settled(std::move(claims), *champion, trials, checks);
  }
  summary.genes = worths(summary, steps_back(space, *champion, first), fit, trials, checks);
  for (const Claim& claim : claims) {
    ClaimTested one{claim, test_of(claim, *champion, trials, checks)};
    // A suspicion that came to nothing is nothing to tell.
    if (!claim.is_suspicion() || one.tested.status == CheckStatus::confirmed)
      summary.claims.push_back(std::move(one));
  }
  // What the run put back is said as it did; otherwise what the checks that are known now would.
  const auto reduction = find_reduction(events, *champion);
  summary.went_back = reduction && reduction->stands();
  summary.goes_back = summary.went_back ? reduction->back : reducible(checks, first);
  if (!summary.goes_back.empty()) {
    const Claim back{ClaimKind::gene, summary.goes_back, 1};
    summary.reduced = test_of(back, *champion, trials, checks);
    for (const InsightCheck& check : checks)
      if (check.to == summary.goes_back) summary.reduced_variant = check.flipped;
    if (summary.went_back) summary.reduced_variant = reduction->trial.variant;
  }
  summary.next = advice_of(summary, space, fit, histories);
  return summary;
}

std::string back_text(const InsightSummary& summary) {
  model::Environment now;
  for (const auto& [gene, value] : summary.goes_back) now.emplace(gene, summary.champion->genome.at(gene));
  return model::change_text(now, summary.goes_back);
}

}  // namespace evo::session
