// What a problem tells `evo diagnose`: causes of wrong results that only it knows, and what the lines behind
// them look like. Data of a rules file beside problem.yaml; no gate reads it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace evo::model {

/// A fact of a diagnosis (diagnose/facts.hpp) and how much it says: points, comparable between rules.
struct Clue {
  std::string fact;
  int weight = 1;
};

struct CauseRule {
  std::string name;  ///< stable, e.g. "missing_barrier"
  /// compile, launch, crash, hang, race, stale, precision, masking, tail, indexing, arithmetic
  std::string category;
  std::string cause;               ///< one sentence
  std::string remedy;              ///< what to look at or change
  std::vector<std::string> needs;  ///< without one of these facts the rule does not apply
  /// Words of the source lines that do this step, for sources whose mistake no edit and no finding places.
  std::vector<std::string> words;
  std::vector<Clue> evidence_for;
  std::vector<Clue> evidence_against;
};

enum class Look : std::uint8_t {
  text,         ///< lines that match
  named,        ///< of these those that give a value to a name that stands where the first finding points
  hook_factor,  ///< lines that match and make what the first wrong stage's hook multiplies by
  factor_use,   ///< lines that match and multiply by what a line with one of the rule's words makes
};

/// What a line behind a cause looks like.
struct SuspectPattern {
  std::string rule;     ///< name of the cause's rule
  std::string fact;     ///< must have been observed; "" for none
  std::string pattern;  ///< ECMAScript, searched in a line without its comment
  std::string why;
  Look look = Look::text;
};

/// Of one rules file or several, in their order.
struct CauseRules {
  std::vector<CauseRule> rules;
  std::vector<SuspectPattern> suspects;
};

}  // namespace evo::model
