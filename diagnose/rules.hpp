// The rule base: which causes explain which observations. Rules are data (rule_parts.hpp says where);
// this weighs them.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "diagnose/facts.hpp"

namespace evo::diagnose {

/// A fact and how much it says; points, comparable between rules.
struct Clue {
  std::string_view fact;
  int weight = 1;
};

struct Rule {
  std::string_view name;  ///< stable, e.g. "missing_barrier"
  /// compile, launch, crash, hang, race, stale, precision, masking, tail, indexing, arithmetic
  std::string_view category;
  std::string_view cause;               ///< one sentence
  std::string_view remedy;              ///< what to look at or change
  std::vector<std::string_view> needs;  ///< without one of these facts the rule does not apply
  /// Words of the source lines that do this step, for sources whose mistake no edit and no finding places.
  std::vector<std::string_view> words;
  std::vector<Clue> evidence_for;
  std::vector<Clue> evidence_against;
};

[[nodiscard]] const std::vector<Rule>& rule_base();
[[nodiscard]] const Rule* find_rule(std::string_view name);

struct WeighedFact {
  Fact fact;
  int weight = 0;
};

/// A rule with what was observed for and against it.
struct Cause {
  const Rule* rule = nullptr;
  int score = 0;  ///< weights for, minus weights against
  std::vector<WeighedFact> evidence_for, evidence_against;
};

/// The causes with a positive score, best first; equal scores keep the rule base's order.
[[nodiscard]] std::vector<Cause> weigh(const Facts& facts, std::span<const Rule> rules);

}  // namespace evo::diagnose
