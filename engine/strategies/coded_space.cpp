#include "engine/strategies/coded_space.hpp"

namespace evo::engine {

CodedSpace::CodedSpace(const model::Space& space) : space_(space) {
  for (const model::Constraint& constraint : space.constraints()) {
    Rule rule{&constraint, {}, {}, {}};
    std::uint64_t combinations = 1;
    bool countable = true;
    for (std::size_t i = 0; i < genes(); ++i) {
      if (!constraint.condition.names().contains(space.genes()[i].name)) continue;
      rule.genes.push_back(i);
      rule.strides.push_back(combinations);
      countable = countable && !__builtin_mul_overflow(combinations, values(i), &combinations);
    }
    if (!countable) rule.strides.clear();
    rules_.push_back(std::move(rule));
  }
}

Code CodedSpace::encode(const model::Genome& genome) const {
  Code code(genes());
  for (std::size_t i = 0; i < genes(); ++i) {
    const model::Gene& gene = space_.genes()[i];
    code[i] = static_cast<std::uint16_t>(gene.index_of(genome.at(gene.name)).value());
  }
  return code;
}

model::Genome CodedSpace::decode(const Code& code) const {
  model::Genome genome;
  for (std::size_t i = 0; i < genes(); ++i) {
    const model::Gene& gene = space_.genes()[i];
    genome.set(gene.name, gene.values[code[i]]);
  }
  return genome;
}

const std::vector<std::size_t>* CodedSpace::violated(const Code& code) const {
  for (const Rule& rule : rules_) {
    if (!holds(rule, code)) return &rule.genes;
  }
  return nullptr;
}

bool CodedSpace::holds(const Rule& rule, const Code& code) const {
  if (rule.strides.empty()) return evaluate(rule, code);
  std::uint64_t combination = 0;
  for (std::size_t i = 0; i < rule.genes.size(); ++i) combination += rule.strides[i] * code[rule.genes[i]];
  const auto known = rule.known.find(combination);
  if (known != rule.known.end()) return known->second;
  return rule.known.emplace(combination, evaluate(rule, code)).first->second;
}

bool CodedSpace::evaluate(const Rule& rule, const Code& code) const {
  model::Environment environment = space_.fixed();
  for (const std::size_t i : rule.genes) {
    const model::Gene& gene = space_.genes()[i];
    environment.insert_or_assign(gene.name, gene.values[code[i]]);
  }
  const auto value = rule.constraint->condition.evaluate_integer(environment);
  return value && *value != 0;
}

}  // namespace evo::engine
