#include "mutators/operators.hpp"

namespace evo::mutators {
namespace {
constexpr double one_step_weaker = 0.75;
}

std::optional<Offspring> SyncMutation::do_apply(std::span<const Parent> parents, const model::Space& space,
                                                model::RandomStream& random, const Hints&) const {
  std::vector<const model::Gene*> genes;
  for (const model::Gene& gene : space.genes()) {
    if (gene.role == model::GeneRole::sync && gene.values.size() > 1) genes.push_back(&gene);
  }
  if (genes.empty()) return std::nullopt;
  const model::Gene& gene = *genes[random.below(genes.size())];
  Offspring offspring{*parents[0].genome, {}, std::nullopt};
  const std::size_t index = gene.index_of(offspring.genome.at(gene.name)).value_or(0);
  std::size_t next = random.below(gene.values.size() - 1);
  if (next >= index) ++next;
  if (index > 0 && random.chance(one_step_weaker)) next = index - 1;
  offspring.genome.set(gene.name, gene.values[next]);
  offspring.rationale = next < index ? "weakened a barrier" : "strengthened a barrier";
  return offspring;
}

}  // namespace evo::mutators
