#include "mutators/operators.hpp"

namespace evo::mutators {

std::optional<Offspring> UniformCrossover::do_apply(std::span<const Parent> parents,
                                                    const model::Space& space, model::RandomStream& random,
                                                    const Hints&) const {
  const model::Genome& first = *parents[0].genome;
  const model::Genome& second = *parents[1].genome;
  int differing = 0;
  for (const model::Gene& gene : space.genes())
    differing += first.at(gene.name) != second.at(gene.name) ? 1 : 0;
  if (differing < 2) return std::nullopt;
  Offspring offspring{first, "crossed with " + parents[1].id, std::nullopt};
  for (const model::Gene& gene : space.genes()) {
    if (random.chance(0.5)) offspring.genome.set(gene.name, second.at(gene.name));
  }
  return offspring;
}

}  // namespace evo::mutators
