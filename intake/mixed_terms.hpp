// How far an array is reached, where that is no product of axes: a stencil on a grid of points between cells,
// an output that ends before its last row does.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "intake/extents.hpp"

namespace evo::intake {

/// Gives arrays that are asked for, and have no certain shape, one of two or three axes whose end is a sum of
/// their products: a * x * y + b * x + c * y + d, as the ends at all pairs of two sizes each say, and two
/// other sets of sizes confirm. Of an input, or an array in place, the rows that hold it, where they have at
/// most a row and a half that nobody reads: [y, x + 1]; else, and of an output, the sum itself, unless
/// another array's certain shape holds it with a border as small. Rows of an axis whose last one is reached
/// up to a place that hangs on the data are whole. `spent`: as ShapeFinder's.
void settle_mixed_terms(const Draft& draft, const model::Artifact& artifact, Probed whose, std::int64_t scale,
                        const std::vector<bool>& asked, std::uint64_t& spent,
                        std::vector<std::optional<FoundShape>>& found);

}  // namespace evo::intake
