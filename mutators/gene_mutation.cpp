#include "mutators/operators.hpp"

namespace evo::mutators {
namespace {

/// Ordered integers step to a neighbour this often: tile sizes and the like respond smoothly.
constexpr double neighbour_probability = 0.6;

model::Value other_value(const model::Gene& gene, const model::Value& current, model::RandomStream& random) {
  const auto index = gene.index_of(current);
  const std::size_t count = gene.values.size();
  if (!index) return gene.values[random.below(count)];
  if (!gene.symbolic() && random.chance(neighbour_probability)) {
    const bool up = random.chance(0.5);
    if (up ? *index + 1 < count : *index == 0) return gene.values[*index + 1];
    return gene.values[*index - 1];
  }
  const std::size_t draw = random.below(count - 1);
  return gene.values[draw < *index ? draw : draw + 1];
}

}  // namespace

std::optional<Offspring> GeneMutation::do_apply(std::span<const Parent> parents, const model::Space& space,
                                                model::RandomStream& random, const Hints& hints) const {
  std::vector<const model::Gene*> genes;
  for (const model::Gene& gene : space.genes()) {
    if (gene.role == model::GeneRole::tuning && gene.values.size() > 1) genes.push_back(&gene);
  }
  if (genes.empty()) return std::nullopt;
  Offspring offspring{*parents[0].genome, "mutated", std::nullopt};
  bool changed = false;
  const auto mutate = [&](const model::Gene& gene) {
    offspring.genome.set(gene.name, other_value(gene, offspring.genome.at(gene.name), random));
    changed = true;
  };
  for (const model::Gene* gene : genes) {
    if (random.chance(hints.gene_probability)) mutate(*gene);
  }
  if (!changed) mutate(*genes[random.below(genes.size())]);
  return offspring;
}

}  // namespace evo::mutators
