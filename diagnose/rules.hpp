// The rule base: which causes explain which observations. Rules are data (rule_parts.hpp says where,
// and rules files beside a problem);
// this weighs them.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "diagnose/facts.hpp"
#include "model/cause.hpp"

namespace evo::diagnose {

using Clue = model::Clue;
using Rule = model::CauseRule;

/// The causes that evo knows of any problem, and those of a problem's rules files. A rule of a name that evo
/// knows adds to it: needs, words and clues, and what it says in place of the cause and the remedy. Another
/// one stands behind the rule before it in the file, or at the end. Throws model::Exception
/// (invalid_configuration) for a new rule without a cause, remedy or category, and for a fact that cannot be
/// observed.
[[nodiscard]] std::vector<Rule> rule_base(std::span<const Rule> of_problem = {});

struct WeighedFact {
  Fact fact;
  int weight = 0;
};

/// A rule with what was observed for and against it.
struct Cause {
  std::shared_ptr<const Rule> rule;
  int score = 0;  ///< weights for, minus weights against
  std::vector<WeighedFact> evidence_for, evidence_against;
};

/// The causes with a positive score, best first; equal scores keep the rule base's order.
[[nodiscard]] std::vector<Cause> weigh(const Facts& facts, std::span<const Rule> rules);

}  // namespace evo::diagnose
