#include "diagnose/rules.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "diagnose/rule_parts.hpp"
#include "diagnose/subject.hpp"
#include "model/error.hpp"

namespace evo::diagnose {

namespace {

void expect_facts(const Rule& rule) {
  const auto expect = [&](const std::string& fact) {
    if (!is_fact_name(fact)) throw invalid(fmt::format("rule {}: there is no fact {}", rule.name, fact));
  };
  for (const std::string& fact : rule.needs) expect(fact);
  for (const Clue& clue : rule.evidence_for) expect(clue.fact);
  for (const Clue& clue : rule.evidence_against) expect(clue.fact);
}

template <class T>
void append(std::vector<T>& all, const std::vector<T>& more) {
  all.insert(all.end(), more.begin(), more.end());
}

void extend(Rule& known, const Rule& more) {
  if (!more.category.empty()) known.category = more.category;
  if (!more.cause.empty()) known.cause = more.cause;
  if (!more.remedy.empty()) known.remedy = more.remedy;
  append(known.needs, more.needs);
  append(known.words, more.words);
  append(known.evidence_for, more.evidence_for);
  append(known.evidence_against, more.evidence_against);
}

}  // namespace

std::vector<Rule> rule_base(std::span<const Rule> of_problem) {
  std::vector<Rule> all = fault_rules();
  append(all, result_rules());
  append(all, arithmetic_rules());
  append(all, text_rules());
  std::size_t next = all.size();
  for (const Rule& rule : of_problem) {
    expect_facts(rule);
    const auto known =
        std::find_if(all.begin(), all.end(), [&](const Rule& other) { return other.name == rule.name; });
    if (known != all.end()) {
      extend(*known, rule);
      next = static_cast<std::size_t>(known - all.begin()) + 1;
      continue;
    }
    if (rule.category.empty() || rule.cause.empty() || rule.remedy.empty() || rule.needs.empty()) {
      throw invalid(fmt::format(
          "rule {}: evo has none of this name, so that it needs category, cause, remedy and needs",
          rule.name));
    }
    all.insert(all.begin() + static_cast<std::ptrdiff_t>(next), rule);
    ++next;
  }
  return all;
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
                                     [&](const std::string& fact) { return facts.has(fact); });
    if (!applies) continue;
    Cause cause;
    cause.rule = std::make_shared<const Rule>(rule);
    cause.score = collect(rule.evidence_for, cause.evidence_for);
    cause.score -= collect(rule.evidence_against, cause.evidence_against);
    if (cause.score > 0) causes.push_back(std::move(cause));
  }
  std::stable_sort(causes.begin(), causes.end(),
                   [](const Cause& a, const Cause& b) { return a.score > b.score; });
  return causes;
}

}  // namespace evo::diagnose
