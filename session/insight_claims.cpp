#include "session/insight_claims.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "model/edits.hpp"
#include "session/final_verdict.hpp"
#include "session/insight_rules.hpp"

namespace evo::session {
namespace {

using engine::TrialRecord;

/// The place of an edit in its list is no gene: the same text at another place is another value. What edits
/// do, the checks tell that leave them out.
bool speaks_of_edits(const model::Environment& values) {
  return std::ranges::any_of(values, [](const auto& value) { return model::names_an_edit(value.first); });
}

/// Adds the champion's values without which correct trials contradict the rule.
void add_shared(model::Environment& rule, const TrialRecord& champion, std::span<const TrialRecord> trials) {
  std::vector<const TrialRecord*> against;
  for (const TrialRecord& trial : trials)
    if (trial.correct() && matches(trial, champion, rule)) against.push_back(&trial);
  if (against.empty()) return;
  for (const auto& [gene, value] : champion.genome.values()) {
    const bool tells =
        std::none_of(against.begin(), against.end(), [&name = gene, &held = value](const TrialRecord* trial) {
          return has_value(trial->genome.values(), name, held);
        });
    if (tells && !model::names_an_edit(gene)) rule.emplace(gene, value);
  }
}

/// A claim with counts, of what the trials of the end have in common with a rule.
Claim rule_claim(model::Environment values, const model::FailurePattern& of, const TrialRecord& champion,
                 std::span<const TrialRecord> trials) {
  Claim claim{ClaimKind::failure, std::move(values), 0, {}, 0, of};
  claim.failure.when = claim.values;
  claim.failure.count = claim.failure.of = 0;
  claim.failure.id.clear();
  for (const TrialRecord& trial : trials) {
    if (trial.status == model::Status::duplicate || !matches(trial, champion, claim.values)) continue;
    ++claim.failure.of;
    claim.failure.count += trial.status == of.status && trial.reason == of.reason ? 1 : 0;
  }
  claim.trials = claim.failure.count;
  return claim;
}

/// Of each end that no claim explains, the failed trial with the fewest changes of the champion.
void claim_nearest(std::vector<Claim>& claims, const TrialRecord& champion,
                   std::span<const TrialRecord> trials) {
  constexpr std::size_t most_changes = 8;
  std::map<std::pair<model::Status, std::string>, model::Environment> nearest;
  for (const TrialRecord& trial : trials) {
    if (trial.template_name != champion.template_name || trial.correct() ||
        trial.status == model::Status::duplicate || trial.status == model::Status::illegal)
      continue;
    const bool explained = std::any_of(claims.begin(), claims.end(), [&](const Claim& claim) {
      return claim.failure.status == trial.status && claim.failure.reason == trial.reason &&
             matches(trial, champion, claim.values);
    });
    if (explained || !has_genes(champion, trial.genome.values())) continue;
    model::Environment changes;
    for (const auto& [gene, value] : trial.genome.values())
      if (!has_value(champion.genome.values(), gene, value)) changes.emplace(gene, value);
    model::Environment& best = nearest[{trial.status, trial.reason}];
    if (speaks_of_edits(changes)) continue;
    if (!changes.empty() && changes.size() <= most_changes && (best.empty() || changes.size() < best.size()))
      best = std::move(changes);
  }
  for (auto& [end, rule] : nearest) {
    if (rule.empty() || claims.size() >= most_claims) continue;
    add_shared(rule, champion, trials);
    model::FailurePattern pattern;
    pattern.template_name = champion.template_name;
    pattern.status = end.first;
    pattern.reason = end.second;
    claims.push_back(rule_claim(std::move(rule), pattern, champion, trials));
  }
}

/// What is left of a rule without the values that, each alone, the failure does not need. The rule itself
/// where nothing was found that it does not need, or not all is known.
model::Environment needed_part(const Claim& claim, const TrialRecord& champion,
                               std::span<const TrialRecord> trials, const std::vector<InsightCheck>& made) {
  const std::string end = end_of(claim.failure.status, claim.failure.reason);
  model::Environment needed = claim.values;
  for (const auto& [gene, value] : claim.values) {
    const auto part = without(claim, gene, champion, trials);
    if (!part || part->empty()) continue;
    const InsightCheck* check = find_made(made, *part);
    if (check == nullptr) return claim.values;
    if (check->refused == end) needed.erase(gene);
  }
  return needed.empty() ? claim.values : needed;
}

/// Changes of one gene each of which the comparisons do not say that one costs more than the other: perhaps
/// it is the same that goes with either. Such a pair may be one that the trials did not tell from others.
void claim_equals(std::vector<Claim>& claims, const std::vector<InsightCheck>& made) {
  std::vector<const InsightCheck*> slower;
  for (const InsightCheck& check : made) {
    if (check.to.size() == 1 && !speaks_of_edits(check.to) &&
        status_of(check, made.size()) == CheckStatus::confirmed)
      slower.push_back(&check);
  }
  for (std::size_t i = 0; i < slower.size(); ++i) {
    for (std::size_t j = i + 1; j < slower.size(); ++j) {
      const auto one = slower[i]->ratio(confidence_of(made.size()));
      const auto other = slower[j]->ratio(confidence_of(made.size()));
      const bool overlap = one.interval[0] <= other.interval[1] && other.interval[0] <= one.interval[1];
      model::Environment both = slower[i]->to;
      both.insert(slower[j]->to.begin(), slower[j]->to.end());
      const bool claimed = std::ranges::any_of(
          claims, [&](const Claim& claim) { return claim.kind == ClaimKind::pair && claim.values == both; });
      if (overlap && both.size() == 2 && !claimed)
        claims.push_back({ClaimKind::pair, std::move(both), -std::log(std::min(one.ratio, other.ratio))});
    }
  }
}

}  // namespace

std::vector<Claim> settled(std::vector<Claim> claims, const TrialRecord& champion,
                           std::span<const TrialRecord> trials, const std::vector<InsightCheck>& made) {
  std::vector<Claim> kept;
  for (Claim& claim : claims) {
    for (bool smaller = claim.kind == ClaimKind::failure && claim.values.size() > 1; smaller;) {
      model::Environment part = needed_part(claim, champion, trials, made);
      smaller = part.size() < claim.values.size();
      if (smaller) claim = rule_claim(std::move(part), claim.failure, champion, trials);
    }
    const bool twice = std::any_of(kept.begin(), kept.end(), [&](const Claim& other) {
      return other.kind == claim.kind && other.values == claim.values &&
             other.failure.status == claim.failure.status && other.failure.reason == claim.failure.reason;
    });
    if (!twice) kept.push_back(std::move(claim));
  }
  claim_equals(kept, made);
  return kept;
}

std::string_view name_of(ClaimKind kind) {
  switch (kind) {
    case ClaimKind::gene:
      return "gene";
    case ClaimKind::pair:
      return "pair";
    case ClaimKind::failure:
      return "failure";
  }
  return "?";
}

std::vector<Claim> claims_of(const TrialRecord& champion, const engine::JointFit& fit,
                             std::span<const model::FailurePattern> failures,
                             std::span<const TrialRecord> trials) {
  std::vector<Claim> genes, pairs, claims;
  for (const engine::JointEffect& effect : fit.effects) {
    const bool matters = effect.significant() && std::abs(effect.effect) > std::log1p(practical_margin);
    if (!matters || !has_genes(champion, effect.values) || speaks_of_edits(effect.values)) continue;
    const ClaimKind kind = effect.values.size() == 1 ? ClaimKind::gene : ClaimKind::pair;
    (kind == ClaimKind::gene ? genes : pairs)
        .push_back({kind, effect.values, effect.effect, effect.interval, effect.trials});
  }
  for (const model::FailurePattern& pattern : failures) {
    if (claims.size() == most_claims) break;
    if (pattern.template_name != champion.template_name || !has_genes(champion, pattern.when) ||
        speaks_of_edits(pattern.when))
      continue;
    claims.push_back({ClaimKind::failure, pattern.when, 0, {}, pattern.count, pattern});
  }
  claim_nearest(claims, champion, trials);
  for (std::vector<Claim>* kind : {&genes, &pairs}) {
    std::stable_sort(kind->begin(), kind->end(),
                     [](const Claim& a, const Claim& b) { return std::abs(a.effect) > std::abs(b.effect); });
    kind->resize(std::min(kind->size(), most_claims));
    claims.insert(claims.end(), kind->begin(), kind->end());
  }
  return claims;
}

}  // namespace evo::session
