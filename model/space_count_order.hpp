// In which order the genes that constraints name are enumerated, so that counting takes little.
#pragma once

#include <cstddef>
#include <vector>

#include "model/legality.hpp"
#include "model/space.hpp"

namespace evo::model {

/// Positions of genes in their space; a place is a position in the order, and at depth d the genes at places
/// 0 .. d - 1 have values.
using GeneOrder = std::vector<std::size_t>;

/// At each depth 0 .. order.size(), the constraints whose last gene has just got its value. `order` has every
/// gene that a constraint names.
std::vector<std::vector<std::size_t>> constraints_due(const Legality& legality, const GeneOrder& order);

/// At each depth, the places before it that a constraint not yet tested asks for.
std::vector<std::vector<std::size_t>> asked_later(const Legality& legality, const GeneOrder& order);

/// The genes of `listed` in the order that takes least, of those tried: as listed, by constraints, and what
/// moving single genes makes of the better one.
GeneOrder cheapest_order(const Space& space, const Legality& legality, const GeneOrder& listed);

}  // namespace evo::model
