// What controlled comparisons say of each claim, and which comparisons that takes.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "model/edits.hpp"
#include "session/final_verdict.hpp"
#include "session/insight_claims.hpp"
#include "session/insight_rules.hpp"

namespace evo::session {
namespace {

using engine::TrialRecord;
using evaluators::measure::RatioInterval;

CheckStatus side_of(const RatioInterval& ratio, bool slower) {
  const double bound = slower ? 1 + practical_margin : 1 - practical_margin;
  const auto& [low, high] = ratio.interval;
  if (!std::isfinite(low) || !std::isfinite(high)) return CheckStatus::inconclusive;
  if (slower ? low > bound : high < bound) return CheckStatus::confirmed;
  return (slower ? high <= bound : low >= bound) ? CheckStatus::refuted : CheckStatus::inconclusive;
}

/// Both over the product of each: the half widths add up, since the three were timed apart.
RatioInterval together(const RatioInterval& first, const RatioInterval& second, const RatioInterval& both) {
  const double ratio = both.ratio / (first.ratio * second.ratio);
  return {ratio,
          {both.interval[0] / (first.interval[1] * second.interval[1]),
           both.interval[1] / (first.interval[0] * second.interval[0])}};
}

/// `checks`: those of checks_of(); the first is the rule itself. `whole`: each value could be left out.
void judge_rule(Tested& tested, const Claim& claim, const std::vector<const InsightCheck*>& checks,
                bool whole) {
  const std::string end = end_of(claim.failure.status, claim.failure.reason);
  tested.found = checks.front()->refused.empty() ? "right" : checks.front()->refused;
  if (tested.found != end) {
    tested.status = tested.found.starts_with("illegal") ? CheckStatus::inconclusive : CheckStatus::refuted;
    return;
  }
  tested.status = whole ? CheckStatus::confirmed : CheckStatus::inconclusive;
  for (std::size_t i = 1; i < checks.size(); ++i) {
    if (checks[i]->refused == end) tested.status = CheckStatus::refuted;
    if (checks[i]->refused.starts_with("illegal") && tested.status == CheckStatus::confirmed)
      tested.status = CheckStatus::inconclusive;
  }
}

}  // namespace

std::vector<model::Environment> checks_of(const Claim& claim, const TrialRecord& champion,
                                          std::span<const TrialRecord> trials) {
  std::vector<model::Environment> checks;
  if (claim.kind == ClaimKind::gene) return {claim.values};
  if (claim.kind == ClaimKind::pair) {
    for (const auto& gene : claim.values) checks.push_back({gene});
    checks.push_back(claim.values);
    return checks;
  }
  model::Environment rule = claim.values;
  std::erase_if(rule,
                [&](const auto& one) { return has_value(champion.genome.values(), one.first, one.second); });
  if (rule.empty()) return {};
  checks.push_back(rule);
  if (claim.values.size() < 2) return checks;
  for (const auto& [gene, value] : claim.values) {
    const auto part = without(claim, gene, champion, trials);
    // The champion itself is correct: what is left of a rule that leads back to it need not be tried.
    if (part && !part->empty()) checks.push_back(*part);
  }
  return checks;
}

std::optional<model::Environment> next_claim_check(const std::vector<Claim>& claims,
                                                   const TrialRecord& champion,
                                                   std::span<const TrialRecord> trials,
                                                   const std::vector<InsightCheck>& made) {
  const auto of = [&](const Claim& claim) -> std::optional<model::Environment> {
    if (test_of(claim, champion, trials, made).status != CheckStatus::untested) return std::nullopt;
    for (const model::Environment& to : checks_of(claim, champion, trials))
      if (find_made(made, to) == nullptr) return to;
    return std::nullopt;
  };
  for (std::size_t rank = 0; rank < most_claims; ++rank) {
    for (const ClaimKind kind : {ClaimKind::failure, ClaimKind::gene, ClaimKind::pair}) {
      std::size_t at = 0;
      for (const Claim& claim : claims) {
        if (claim.kind != kind || claim.is_suspicion() || at++ != rank) continue;
        if (auto next = of(claim)) return next;
      }
    }
  }
  std::size_t suspicions = 0;
  for (const Claim& claim : claims) {
    if (!claim.is_suspicion() || suspicions++ == most_claims) continue;
    if (auto next = of(claim)) return next;
  }
  return std::nullopt;
}

std::optional<InsightCheck> known_check(std::span<const TrialRecord> trials, const TrialRecord& champion,
                                        const model::Environment& to) {
  InsightCheck check;
  for (const auto& [gene, value] : to) {
    const auto own = champion.genome.values().find(gene);
    if (own == champion.genome.values().end()) return std::nullopt;
    check.from.insert_or_assign(gene, own->second);
  }
  const model::Genome genome = model::with_values(champion.genome, to);
  const auto trial = std::find_if(trials.begin(), trials.end(), [&](const TrialRecord& other) {
    const bool says = other.status != model::Status::duplicate || !other.latencies.empty();
    return says && other.template_name == champion.template_name && other.genome == genome;
  });
  if (trial == trials.end()) return std::nullopt;
  check.template_name = champion.template_name;
  check.champion = champion.variant;
  check.flipped = trial->variant;
  check.to = to;
  check.trial = trial->index;
  if (trial->latencies.empty()) {
    check.refused = end_of(trial->status, trial->reason);
    return check;
  }
  if (trial->latencies.front().latency.kind == model::LatencyKind::measured) return std::nullopt;
  for (const model::WorkloadLatency& one : trial->latencies) {
    const auto own = std::find_if(champion.latencies.begin(), champion.latencies.end(),
                                  [&](const auto& other) { return other.workload == one.workload; });
    if (own == champion.latencies.end()) return std::nullopt;
    check.series.push_back(
        {one.workload, one.weight, {one.latency.microseconds}, {own->latency.microseconds}});
  }
  return check;
}

Tested test_of(const Claim& claim, const TrialRecord& champion, std::span<const TrialRecord> trials,
               const std::vector<InsightCheck>& made) {
  Tested tested;
  const std::vector<model::Environment> wanted = checks_of(claim, champion, trials);
  // A rule all of whose values the champion has, which is correct.
  if (wanted.empty()) {
    tested.status = CheckStatus::refuted;
    tested.found = "right";
    return tested;
  }
  std::vector<const InsightCheck*> checks;
  for (const model::Environment& to : wanted) {
    if (const InsightCheck* check = find_made(made, to)) checks.push_back(check);
  }
  tested.comparisons = checks.size();
  for (const InsightCheck* check : checks) tested.pairs += check->pairs();
  if (claim.kind == ClaimKind::failure) {
    const auto against = std::find_if(trials.begin(), trials.end(), [&](const TrialRecord& trial) {
      return trial.correct() && matches(trial, champion, claim.values);
    });
    const InsightCheck* rule = find_made(made, wanted.front());
    // Neither needs the parts.
    if (against != trials.end()) {
      tested.status = CheckStatus::refuted;
      tested.found = fmt::format("trial {} is correct", against->index);
      return tested;
    }
    if (rule != nullptr && rule->refused != end_of(claim.failure.status, claim.failure.reason)) {
      judge_rule(tested, claim, {rule}, false);
      return tested;
    }
  }
  if (checks.size() < wanted.size()) return tested;
  if (claim.kind == ClaimKind::failure) {
    const bool whole = claim.values.size() < 2 ||
                       std::all_of(claim.values.begin(), claim.values.end(), [&](const auto& gene) {
                         return without(claim, gene.first, champion, trials).has_value();
                       });
    judge_rule(tested, claim, checks, whole);
    return tested;
  }
  tested.status = CheckStatus::inconclusive;
  for (const InsightCheck* check : checks) {
    if (!check->refused.empty()) {
      tested.found = check->refused;
      return tested;
    }
  }
  const double confidence = confidence_of(made.size());
  tested.ratio = checks.front()->ratio(confidence);
  if (claim.kind == ClaimKind::pair)
    tested.ratio = together(tested.ratio, checks[1]->ratio(confidence), checks[2]->ratio(confidence));
  tested.status = side_of(tested.ratio, claim.effect > 0);
  return tested;
}

}  // namespace evo::session
