#include "session/insight_claims.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "model/edits.hpp"
#include "session/final_verdict.hpp"

namespace evo::session {
namespace {

using engine::TrialRecord;
using evaluators::measure::RatioInterval;

bool has(const model::Environment& values, const std::string& gene, const model::Value& value) {
  const auto own = values.find(gene);
  return own != values.end() && own->second == value;
}

bool has_genes(const TrialRecord& champion, const model::Environment& values) {
  return std::all_of(values.begin(), values.end(),
                     [&](const auto& gene) { return champion.genome.values().contains(gene.first); });
}

/// The text that make_check leaves of a flip that failed.
std::string end_of(model::Status status, const std::string& reason) {
  return status == model::Status::illegal ? "illegal: " + reason
                                          : fmt::format("{} ({})", model::name_of(status), reason);
}

/// The value of a gene, other than `claimed`, that most right trials have.
std::optional<model::Value> proven_other(std::span<const TrialRecord> trials, const TrialRecord& champion,
                                         const std::string& gene, const model::Value& claimed) {
  std::map<model::Value, int> count;
  for (const TrialRecord& trial : trials) {
    const auto own = trial.genome.values().find(gene);
    if (trial.template_name == champion.template_name && trial.right() &&
        own != trial.genome.values().end() && own->second != claimed)
      ++count[own->second];
  }
  const auto most = std::max_element(count.begin(), count.end(),
                                     [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == count.end() ? std::nullopt : std::optional(most->first);
}

/// The rule without one gene's value, as changes of the champion.
std::optional<model::Environment> without(const Claim& claim, const std::string& gene,
                                          const TrialRecord& champion, std::span<const TrialRecord> trials) {
  model::Environment part = claim.values;
  if (has(champion.genome.values(), gene, claim.values.at(gene))) {
    const auto other = proven_other(trials, champion, gene, claim.values.at(gene));
    if (!other) return std::nullopt;
    part.insert_or_assign(gene, *other);
  } else {
    part.erase(gene);
  }
  std::erase_if(part, [&](const auto& one) { return has(champion.genome.values(), one.first, one.second); });
  return part;
}

const InsightCheck* find_made(const std::vector<InsightCheck>& made, const model::Environment& to) {
  const auto found =
      std::find_if(made.begin(), made.end(), [&](const InsightCheck& check) { return check.to == to; });
  return found == made.end() ? nullptr : &*found;
}

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

namespace {

bool matches(const TrialRecord& trial, const TrialRecord& champion, const model::Environment& values) {
  return trial.template_name == champion.template_name &&
         std::all_of(values.begin(), values.end(),
                     [&](const auto& one) { return has(trial.genome.values(), one.first, one.second); });
}

/// Adds the champion's values without which right trials contradict the rule.
void add_shared(model::Environment& rule, const TrialRecord& champion, std::span<const TrialRecord> trials) {
  std::vector<const TrialRecord*> against;
  for (const TrialRecord& trial : trials)
    if (trial.right() && matches(trial, champion, rule)) against.push_back(&trial);
  if (against.empty()) return;
  for (const auto& [gene, value] : champion.genome.values()) {
    const bool tells = std::none_of(against.begin(), against.end(), [&](const TrialRecord* trial) {
      return has(trial->genome.values(), gene, value);
    });
    if (tells) rule.emplace(gene, value);
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
    if (trial.status == model::Status::no_op || !matches(trial, champion, claim.values)) continue;
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
    if (trial.template_name != champion.template_name || trial.right() ||
        trial.status == model::Status::no_op || trial.status == model::Status::illegal)
      continue;
    const bool explained = std::any_of(claims.begin(), claims.end(), [&](const Claim& claim) {
      return claim.failure.status == trial.status && claim.failure.reason == trial.reason &&
             matches(trial, champion, claim.values);
    });
    if (explained || !has_genes(champion, trial.genome.values())) continue;
    model::Environment changes;
    for (const auto& [gene, value] : trial.genome.values())
      if (!has(champion.genome.values(), gene, value)) changes.emplace(gene, value);
    model::Environment& best = nearest[{trial.status, trial.reason}];
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
    if (!matters || !has_genes(champion, effect.values)) continue;
    const ClaimKind kind = effect.values.size() == 1 ? ClaimKind::gene : ClaimKind::pair;
    (kind == ClaimKind::gene ? genes : pairs)
        .push_back({kind, effect.values, effect.effect, effect.interval, effect.trials});
  }
  for (const model::FailurePattern& pattern : failures) {
    if (claims.size() == most_claims) break;
    if (pattern.template_name != champion.template_name || !has_genes(champion, pattern.when)) continue;
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
  std::erase_if(rule, [&](const auto& one) { return has(champion.genome.values(), one.first, one.second); });
  if (rule.empty()) return {};
  checks.push_back(rule);
  if (claim.values.size() < 2) return checks;
  for (const auto& [gene, value] : claim.values) {
    const auto part = without(claim, gene, champion, trials);
    // The champion itself is right: what is left of a rule that leads back to it need not be tried.
    if (part && !part->empty()) checks.push_back(*part);
  }
  return checks;
}

std::optional<model::Environment> next_claim_check(const std::vector<Claim>& claims,
                                                   const TrialRecord& champion,
                                                   std::span<const TrialRecord> trials,
                                                   const std::vector<InsightCheck>& made) {
  for (std::size_t rank = 0; rank < most_claims; ++rank) {
    for (const ClaimKind kind : {ClaimKind::failure, ClaimKind::gene, ClaimKind::pair}) {
      std::size_t at = 0;
      for (const Claim& claim : claims) {
        if (claim.kind != kind || at++ != rank) continue;
        if (test_of(claim, champion, trials, made).status != CheckStatus::untested) continue;
        for (const model::Environment& to : checks_of(claim, champion, trials))
          if (find_made(made, to) == nullptr) return to;
      }
    }
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
    const bool says = other.status != model::Status::no_op || !other.latencies.empty();
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
  // A rule all of whose values the champion has, which is right.
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
      return trial.right() && matches(trial, champion, claim.values);
    });
    const InsightCheck* rule = find_made(made, wanted.front());
    // Neither needs the parts.
    if (against != trials.end()) {
      tested.status = CheckStatus::refuted;
      tested.found = fmt::format("trial {} is right", against->index);
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
