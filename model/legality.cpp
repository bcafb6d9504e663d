#include "model/legality.hpp"

namespace evo::model {

Legality::Legality(const Space& space) {
  std::vector<std::string> names;
  Symbols symbols;
  for (const Gene& gene : space.genes()) {
    names.push_back(gene.name);
    std::vector<Operand>& values = values_.emplace_back();
    for (const Value& value : gene.values) values.push_back(symbols.operand(value));
  }
  for (const Constraint& constraint : space.constraints()) {
    std::vector<std::size_t> named;
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (constraint.condition.names().contains(names[i])) named.push_back(i);
    }
    Environment constants = space.fixed();
    for (const auto& [name, value] : constraint.given) constants.insert_or_assign(name, value);
    rules_.push_back({ResolvedExpression(constraint.condition, names, constants, symbols), std::move(named)});
  }
}

}  // namespace evo::model
