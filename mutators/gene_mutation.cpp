#include "mutators/operators.hpp"
#include "mutators/value_step.hpp"

namespace evo::mutators {

std::optional<Draft> GeneMutation::draw(std::span<const Parent> parents, const CodedSpace& space,
                                        model::RandomStream& random, const Hints& hints) const {
  const std::vector<std::size_t>& genes = space.tuning();
  if (genes.empty()) return std::nullopt;
  Draft draft{*parents[0].code, std::vector<bool>(space.genes()), "mutated"};
  bool changed = false;
  const auto mutate = [&](std::size_t gene) {
    draft.code[gene] = other_value(space, gene, draft.code[gene], hints.settings.to_neighbour, random);
    draft.decided[gene] = changed = true;
  };
  for (const std::size_t gene : genes) {
    if (random.chance(hints.settings.gene_probability)) mutate(gene);
  }
  if (!changed) mutate(genes[random.below(genes.size())]);
  return draft;
}

}  // namespace evo::mutators
