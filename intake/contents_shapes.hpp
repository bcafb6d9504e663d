// Arrays that are written where computed numbers lead, as the sums of clusters are: what any contents say.
#pragma once

#include <optional>
#include <vector>

#include "intake/draft.hpp"
#include "intake/extents.hpp"
#include "model/artifact.hpp"

namespace evo::intake {

/// Where contents that are not alike lead further than zeros and ones do, the axis that the array is as long
/// as, seen with that axis at two small sizes and the others large; else the shape is no longer `exact`.
/// Shapes that hold, and arrays that are not asked about, stay as they are.
void settle_by_contents(const Draft& draft, const model::Artifact& reference, const std::vector<bool>& asked,
                        std::vector<std::optional<FoundShape>>& found);

}  // namespace evo::intake
