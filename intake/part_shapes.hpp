// Of a single axis: arrays with an element, or several, for each part of it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "intake/extents.hpp"

namespace evo::intake {

/// Looks at larger sizes whether a shape that was found at one holds there, too: three words a row at 160
/// boxes are ceil_div(n, 64). Where it does not, the shape is one of parts of the axis, alone, a few times or
/// for each of the axis (`[n, ceil_div(n, 64)]`), that holds at all sizes; else it is no longer exact.
/// `spent`: as ShapeFinder's.
void settle_parts(const Draft& draft, const model::Artifact& artifact, Probed whose, std::int64_t scale,
                  const std::vector<bool>& asked, std::uint64_t& spent,
                  std::vector<std::optional<FoundShape>>& found);

}  // namespace evo::intake
