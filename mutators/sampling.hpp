// Legal genomes under constraints: random ones, and the repair of an illegal wish.
#pragma once

#include <optional>

#include "model/random.hpp"
#include "model/space.hpp"

namespace evo::mutators {

/// A random legal genome with every barrier at its strongest: uniform by rejection while that finds one
/// quickly, otherwise by backtracking in random order. If no genome with all barriers at full is found,
/// weaker ones are taken. nullopt when nothing was found within a bound.
[[nodiscard]] std::optional<model::Genome> random_legal(const model::Space& space,
                                                        model::RandomStream& random);

/// A legal genome near `wish`: backtracking over the genes in random order that tries the wished value first.
/// Returns `wish` itself when it is legal; nullopt when nothing was found within a bound.
[[nodiscard]] std::optional<model::Genome> repair(const model::Space& space, const model::Genome& wish,
                                                  model::RandomStream& random);

}  // namespace evo::mutators
