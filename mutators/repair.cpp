#include "mutators/repair.hpp"

#include "mutators/value_step.hpp"

namespace evo::mutators {

std::optional<Code> repair(const CodedSpace& space, Code code, const std::vector<bool>& decided,
                           const OperatorSettings& settings, model::RandomStream& random) {
  constexpr int steps = 12;
  for (int step = 0; step < steps; ++step) {
    const std::vector<std::size_t>* violated = space.violated(code);
    if (violated == nullptr) return code;
    std::vector<std::size_t> free;
    for (const std::size_t gene : *violated) {
      const bool barrier = space.space().genes()[gene].role == model::GeneRole::sync;
      if (!decided[gene] && !barrier && space.values(gene) > 1) free.push_back(gene);
    }
    if (free.empty()) {
      for (const std::size_t gene : *violated) {
        if (space.values(gene) > 1) free.push_back(gene);
      }
    }
    if (free.empty()) return std::nullopt;
    const std::size_t gene = free[random.below(free.size())];
    code[gene] = other_value(space, gene, code[gene], settings.to_neighbour, random);
  }
  return std::nullopt;
}

}  // namespace evo::mutators
