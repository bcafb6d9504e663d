// What a diagnosis has observed. Rules test on these and on nothing else.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace evo::diagnose {

/// One observation: a name that rules know, and what was seen, for a person.
struct Fact {
  std::string name;
  std::string text;
};

/// Names are closed: the fixed ones of facts.cpp, and the families finding.KIND (a kind of sanitize
/// evidence), wrong.REASON (of oracle::Comparison), set.KIND.fails and set.KIND.passes (a kind of input set),
/// diverges.FORMULA and right.FORMULA (a stage formula), match.FORMULA.HYPOTHESIS, pattern.NAME
/// (patterns.hpp), heals.KIND (of a mutant, mutants.hpp), at.WHAT (what stands at the line where that is,
/// roles.hpp), answer.MISTAKE (answers.hpp).
[[nodiscard]] bool is_fact_name(std::string_view name);
[[nodiscard]] std::vector<std::string_view> fixed_fact_names();

class Facts {
 public:
  /// The first text of a name stays. Throws std::logic_error for a name that is_fact_name() does not know.
  void add(std::string_view name, std::string text);
  [[nodiscard]] const Fact* find(std::string_view name) const;
  [[nodiscard]] bool has(std::string_view name) const { return find(name) != nullptr; }
  [[nodiscard]] const std::vector<Fact>& all() const { return facts_; }

 private:
  std::vector<Fact> facts_;
};

}  // namespace evo::diagnose
