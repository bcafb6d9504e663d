#include "mutators/coded_space.hpp"

namespace evo::mutators {

CodedSpace::CodedSpace(const model::Space& space) : space_(space), legality_(space) {
  for (std::size_t i = 0; i < genes(); ++i) {
    if (values(i) < 2) continue;
    (space.genes()[i].role == model::GeneRole::tuning ? tuning_ : barriers_).push_back(i);
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
  std::vector<model::Operand> genome(genes());
  for (std::size_t i = 0; i < genes(); ++i) genome[i] = legality_.value(i, code[i]);
  for (std::size_t constraint = 0; constraint < legality_.constraints(); ++constraint) {
    if (!legality_.holds(constraint, genome)) return &legality_.genes(constraint);
  }
  return nullptr;
}

}  // namespace evo::mutators
