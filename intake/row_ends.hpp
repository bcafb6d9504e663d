// Arrays of rows of which some data leaves the last members alone, and grids whose last corner nobody reads.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "intake/extents.hpp"

namespace evo::intake {

/// Gives arrays that are asked for, and have no certain shape, one of rows of a fixed number of elements,
/// [n, 5], where zeros and ones reach the same last row, and one of them its end: a box without width is
/// looked at no further. What ones lead into another row of is indexed by data, and stays open. At two sizes
/// at least. `spent`: as ShapeFinder's.
void settle_rows(const Draft& draft, const model::Artifact& artifact, Probed whose, std::int64_t scale,
                 const std::vector<bool>& asked, std::uint64_t& spent,
                 std::vector<std::optional<FoundShape>>& found);

/// Gives inputs that are asked for, and have no certain shape, one of two axes or more, each once, of which
/// nobody reads the last elements, fewer than a quarter: the border of a stencil's grid. At sizes in two
/// orders.
void settle_interiors(const Draft& draft, const model::Artifact& artifact, Probed whose, std::int64_t scale,
                      const std::vector<bool>& asked, std::uint64_t& spent,
                      std::vector<std::optional<FoundShape>>& found);

}  // namespace evo::intake
