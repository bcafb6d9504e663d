#include "mutators/operators.hpp"
#include "mutators/sampling.hpp"

namespace evo::mutators {

std::optional<Draft> RandomImmigrant::draw(std::span<const Parent>, const CodedSpace& space,
                                           model::RandomStream& random, const Hints&) const {
  const auto genome = random_legal(space.space(), random);
  if (!genome) return std::nullopt;
  return Draft{space.encode(*genome), std::vector<bool>(space.genes()), "fresh random genome"};
}

}  // namespace evo::mutators
