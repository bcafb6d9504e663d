#include "mutators/mutator.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "mutators/insight_lookup.hpp"
#include "mutators/operators.hpp"
#include "mutators/sampling.hpp"

namespace evo::mutators {
namespace {

/// A failure pattern is obeyed this often: it rests on few trials, and a wrong one must be able to die.
constexpr double obedience = 0.9;

}  // namespace

std::string describe_changes(const model::Genome& from, const model::Genome& to) {
  std::string text;
  for (const auto& [gene, value] : to.values()) {
    const auto old = from.values().find(gene);
    if (old == from.values().end() || old->second == value) continue;
    text += fmt::format("{}{} {} -> {}", text.empty() ? "" : ", ", gene, model::to_string(old->second),
                        model::to_string(value));
  }
  return text;
}

std::optional<Offspring> Mutator::apply(std::span<const Parent> parents, const model::Space& space,
                                        model::RandomStream& random, const Hints& hints) const {
  constexpr int attempts = 24;
  if (parents.size() < static_cast<std::size_t>(arity())) return std::nullopt;
  const model::FailurePattern* avoided = nullptr;
  for (int attempt = 0; attempt < attempts; ++attempt) {
    auto offspring = do_apply(parents, space, random, hints);
    if (!offspring) return std::nullopt;
    const bool legal = space.legal(offspring->genome);
    if (!legal) {
      auto repaired = repair(space, offspring->genome, random);
      if (!repaired) continue;
      offspring->genome = std::move(*repaired);
    }
    if (std::any_of(parents.begin(), parents.end(),
                    [&](const Parent& parent) { return *parent.genome == offspring->genome; })) {
      continue;
    }
    if (const auto* pattern = covering_pattern(hints, offspring->genome);
        pattern != nullptr && random.chance(obedience)) {
      avoided = pattern;
      continue;
    }
    if (arity() > 0) {
      const model::Genome& first = *parents.front().genome;
      offspring->rationale += fmt::format(": {}", describe_changes(first, offspring->genome));
      offspring->predicted_effect = predicted_change(hints, first, offspring->genome);
    }
    if (!legal) offspring->rationale += "; repaired to satisfy the constraints";
    if (avoided != nullptr) offspring->rationale += fmt::format("; drawn again to avoid {}", cite(*avoided));
    return offspring;
  }
  return std::nullopt;
}

std::vector<std::unique_ptr<Mutator>> builtin_mutators() {
  std::vector<std::unique_ptr<Mutator>> list;
  list.push_back(std::make_unique<GeneMutation>());
  list.push_back(std::make_unique<UniformCrossover>());
  list.push_back(std::make_unique<InsightGuided>());
  list.push_back(std::make_unique<SyncMutation>());
  list.push_back(std::make_unique<RandomImmigrant>());
  return list;
}

std::vector<std::string> builtin_mutator_names() {
  std::vector<std::string> names;
  for (const auto& mutator : builtin_mutators()) names.emplace_back(mutator->name());
  return names;
}

}  // namespace evo::mutators
