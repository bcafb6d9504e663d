// Random legal genomes under constraints.
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

}  // namespace evo::mutators
