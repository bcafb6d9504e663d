#include "diagnose/rules.hpp"

#include <algorithm>

#include "diagnose/rule_parts.hpp"

namespace evo::diagnose {

const std::vector<Rule>& rule_base() {
  static const std::vector<Rule> rules = [] {
    std::vector<Rule> all = fault_rules();
    for (Rule& rule : result_rules()) all.push_back(std::move(rule));
    for (Rule& rule : arithmetic_rules()) all.push_back(std::move(rule));
    for (Rule& rule : text_rules()) all.push_back(std::move(rule));
    return all;
  }();
  return rules;
}

const Rule* find_rule(std::string_view name) {
  for (const Rule& rule : rule_base()) {
    if (rule.name == name) return &rule;
  }
  return nullptr;
}

std::vector<Cause> weigh(const Facts& facts, std::span<const Rule> rules) {
  std::vector<Cause> causes;
  const auto collect = [&](const std::vector<Clue>& clues, std::vector<WeighedFact>& seen) {
    int sum = 0;
    for (const Clue& clue : clues) {
      const Fact* fact = facts.find(clue.fact);
      if (!fact) continue;
      seen.push_back({*fact, clue.weight});
      sum += clue.weight;
    }
    return sum;
  };
  for (const Rule& rule : rules) {
    const bool applies = std::any_of(rule.needs.begin(), rule.needs.end(),
                                     [&](std::string_view fact) { return facts.has(fact); });
    if (!applies) continue;
    Cause cause;
    cause.rule = &rule;
    cause.score = collect(rule.evidence_for, cause.evidence_for);
    cause.score -= collect(rule.evidence_against, cause.evidence_against);
    if (cause.score > 0) causes.push_back(std::move(cause));
  }
  std::stable_sort(causes.begin(), causes.end(),
                   [](const Cause& a, const Cause& b) { return a.score > b.score; });
  return causes;
}

}  // namespace evo::diagnose
