#include "mutators/operators.hpp"

namespace evo::mutators {

std::optional<Draft> SyncMutation::draw(std::span<const Parent> parents, const CodedSpace& space,
                                        model::RandomStream& random, const Hints& hints) const {
  const std::vector<std::size_t>& genes = space.barriers();
  if (genes.empty()) return std::nullopt;
  const std::size_t gene = genes[random.below(genes.size())];
  Draft draft{*parents[0].code, std::vector<bool>(space.genes()), {}};
  const std::size_t index = draft.code[gene];
  std::size_t next = random.below(space.values(gene) - 1);
  if (next >= index) ++next;
  if (index > 0 && random.chance(hints.settings.one_step_weaker)) next = index - 1;
  draft.code[gene] = static_cast<std::uint16_t>(next);
  draft.decided[gene] = true;
  draft.rationale = next < index ? "weakened a barrier" : "strengthened a barrier";
  return draft;
}

}  // namespace evo::mutators
