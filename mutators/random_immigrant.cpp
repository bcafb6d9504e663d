#include "mutators/operators.hpp"
#include "mutators/sampling.hpp"

namespace evo::mutators {

std::optional<Offspring> RandomImmigrant::do_apply(std::span<const Parent>, const model::Space& space,
                                                   model::RandomStream& random, const Hints&) const {
  auto genome = random_legal(space, random);
  if (!genome) return std::nullopt;
  return Offspring{std::move(*genome), "fresh random genome", std::nullopt};
}

}  // namespace evo::mutators
