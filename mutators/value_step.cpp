#include "mutators/value_step.hpp"

namespace evo::mutators {

std::uint16_t other_value(const CodedSpace& space, std::size_t gene, std::uint16_t current,
                          double to_neighbour, model::RandomStream& random) {
  const std::size_t count = space.values(gene);
  if (!space.space().genes()[gene].symbolic() && random.chance(to_neighbour)) {
    const bool up = random.chance(0.5);
    return static_cast<std::uint16_t>((up ? current + 1U < count : current == 0) ? current + 1 : current - 1);
  }
  const std::size_t draw = random.below(count - 1);
  return static_cast<std::uint16_t>(draw < current ? draw : draw + 1);
}

}  // namespace evo::mutators
