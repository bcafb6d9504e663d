// Floating-point scalars that have several values at once for which a kernel has paths of its own, beside
// sizes of several kinds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "model/random.hpp"
#include "model/variant.hpp"

namespace evo::evaluators::gates {

struct ScalarRow {
  std::map<std::size_t, double>
      scalars;  ///< by the argument's index, those that are not as they are in the case
  std::size_t shape = 0;
};

/// Of the floating-point scalars among `further` (telling_scalars(), scalar_use.hpp) each has those values
/// and its own, and there are `shapes` shapes: all combinations where those are few, else rows of a covering
/// array, in which each two of these meet. Without those in which at most one scalar has another value, and
/// the shape is the first.
[[nodiscard]] std::vector<ScalarRow> scalar_rows(
    const model::Case& bound, const std::map<std::size_t, std::vector<std::int64_t>>& further,
    std::size_t shapes, model::RandomStream& stream);

}  // namespace evo::evaluators::gates
