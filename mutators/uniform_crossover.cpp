#include "mutators/operators.hpp"

namespace evo::mutators {

std::optional<Draft> UniformCrossover::draw(std::span<const Parent> parents, const CodedSpace& space,
                                            model::RandomStream& random, const Hints&) const {
  const Code& first = *parents[0].code;
  const Code& second = *parents[1].code;
  int differing = 0;
  for (std::size_t gene = 0; gene < space.genes(); ++gene) differing += first[gene] != second[gene] ? 1 : 0;
  if (differing < 2) return std::nullopt;
  Draft draft{first, std::vector<bool>(space.genes()), "crossed with "};
  draft.rationale += parents[1].id;
  for (std::size_t gene = 0; gene < space.genes(); ++gene) {
    if (random.chance(0.5)) draft.code[gene] = second[gene];
  }
  return draft;
}

}  // namespace evo::mutators
