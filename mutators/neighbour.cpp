#include "mutators/operators.hpp"
#include "mutators/repair.hpp"

namespace evo::mutators {
namespace {

/// Calls `visit` with every code that differs from `code` in one tuning gene, legal or not, and that gene.
template <class Visit>
void for_each_step(const CodedSpace& space, const Code& code, const Visit& visit) {
  for (const std::size_t gene : space.tuning()) {
    for (std::uint16_t value = 0; value < space.values(gene); ++value) {
      if (value == code[gene]) continue;
      Code step = code;
      step[gene] = value;
      visit(std::move(step), gene);
    }
  }
}

}  // namespace

std::optional<Draft> Neighbour::draw(std::span<const Parent> parents, const CodedSpace& space,
                                     model::RandomStream& random, const Hints& hints) const {
  std::vector<Draft> untried;
  for_each_step(space, *parents[0].code, [&](Code step, std::size_t gene) {
    if (!space.legal(step) || (hints.seen && hints.seen(step))) return;
    untried.push_back({std::move(step), std::vector<bool>(space.genes()), "one gene changed"});
    untried.back().decided[gene] = true;
  });
  if (untried.empty()) return std::nullopt;
  return std::move(untried[random.below(untried.size())]);
}

std::vector<Code> steps_around(const CodedSpace& space, const Code& code, const OperatorSettings& settings,
                               model::RandomStream& random) {
  std::vector<Code> steps;
  for_each_step(space, code, [&](Code step, std::size_t gene) {
    std::vector<bool> decided(space.genes());
    decided[gene] = true;
    if (auto legal = repair(space, std::move(step), decided, settings, random))
      steps.push_back(std::move(*legal));
  });
  return steps;
}

}  // namespace evo::mutators
