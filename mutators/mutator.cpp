#include "mutators/mutator.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "mutators/operators.hpp"
#include "mutators/repair.hpp"

namespace evo::mutators {

std::optional<Offspring> Mutator::apply(std::span<const Parent> parents, const CodedSpace& space,
                                        model::RandomStream& random, const Hints& hints) const {
  constexpr int attempts = 24;
  if (parents.size() < static_cast<std::size_t>(arity())) return std::nullopt;
  parents = parents.first(static_cast<std::size_t>(arity()));
  const model::FailurePattern* avoided = nullptr;
  for (int attempt = 0; attempt < attempts; ++attempt) {
    auto draft = draw(parents, space, random, hints);
    if (!draft) return std::nullopt;
    const bool legal = space.legal(draft->code);
    if (!legal) {
      auto repaired = repair(space, std::move(draft->code), draft->decided, hints.settings, random);
      if (!repaired) continue;
      draft->code = std::move(*repaired);
    }
    if (std::ranges::any_of(parents, [&](const Parent& parent) { return *parent.code == draft->code; }))
      continue;
    const auto* pattern = hints.insights != nullptr ? hints.insights->covering(draft->code) : nullptr;
    if (pattern != nullptr && random.chance(hints.settings.obedience)) {
      avoided = pattern;
      continue;
    }
    if (!legal) draft->rationale += ", repaired to satisfy the constraints";
    if (avoided != nullptr) draft->rationale += fmt::format(", drawn again to avoid {}", cite(*avoided));
    return Offspring{std::move(draft->code), std::move(draft->rationale)};
  }
  return std::nullopt;
}

std::vector<std::unique_ptr<Mutator>> builtin_mutators() {
  std::vector<std::unique_ptr<Mutator>> list;
  list.push_back(std::make_unique<GeneMutation>());
  list.push_back(std::make_unique<UniformCrossover>());
  list.push_back(std::make_unique<InsightGuided>());
  list.push_back(std::make_unique<SyncMutation>());
  list.push_back(std::make_unique<Neighbour>());
  list.push_back(std::make_unique<RandomImmigrant>());
  return list;
}

}  // namespace evo::mutators
