// A space's constraints, made ready for thousands of questions: by positions of values instead of text.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "model/resolved_expression.hpp"
#include "model/space.hpp"

namespace evo::model {

/// Answers as Space::violation does for genomes of known values, without its reasons. Immutable.
class Legality {
 public:
  explicit Legality(const Space& space);

  [[nodiscard]] std::size_t constraints() const { return rules_.size(); }
  /// Positions in Space::genes() of those that a constraint names, ascending.
  [[nodiscard]] const std::vector<std::size_t>& genes(std::size_t constraint) const {
    return rules_[constraint].genes;
  }
  /// The value at `position` of a gene, as holds() takes it.
  [[nodiscard]] Operand value(std::size_t gene, std::size_t position) const {
    return values_[gene][position];
  }
  /// `genome` has a value for each gene, of which only those that the constraint names are read. A constraint
  /// that cannot be evaluated does not hold.
  [[nodiscard]] bool holds(std::size_t constraint, std::span<const Operand> genome) const {
    const auto result = rules_[constraint].condition.value(genome);
    return result && !result->symbol && result->number != 0;
  }

 private:
  struct Rule {
    ResolvedExpression condition;
    std::vector<std::size_t> genes;
  };
  std::vector<Rule> rules_;
  std::vector<std::vector<Operand>> values_;
};

}  // namespace evo::model
