// Of several axes: arrays with a word for each 32 of a row, or a number for each 128.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "intake/extents.hpp"

namespace evo::intake {

/// Looks at one long axis after the other whether a shape that was found without that axis holds there, too:
/// one word a row at 7 columns may be `[rows, ceil_div(columns, 32)]`. Where it does not, and no such number
/// of parts holds at three sizes of the axis, the shape is no longer exact. `spent`: as ShapeFinder's.
void settle_words(const Draft& draft, const model::Artifact& artifact, Probed whose, std::int64_t scale,
                  const std::vector<bool>& asked, std::uint64_t& spent,
                  std::vector<std::optional<FoundShape>>& found);

}  // namespace evo::intake
