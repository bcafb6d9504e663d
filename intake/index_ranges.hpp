// Arrays of integers that are indices: which numbers they may hold.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "intake/draft.hpp"
#include "model/artifact.hpp"

namespace evo::intake {

/// Of each of the draft's arguments, what keeps kernel and reference in bounds.
/// The fill of keys that lead into bounds whatever they are, but for those below zero.
inline constexpr const char* no_sign_fill = "{integers: [0, 2147483647]}";

struct IndexFills {
  std::vector<std::optional<std::string>> fills;  ///< of the whole array
  std::vector<std::vector<DraftColumn>> columns;  ///< of rows whose numbers lead to several axes
  std::vector<std::size_t> of_kernel{};           ///< where the reference takes greater numbers
};

/// Nothing of what is no array of integers, nor of rows of a few numbers that float, of one that has a fill:,
/// that holds any numbers without harm, or whose greatest number is no size that problem.yaml can say. All
/// shapes are known. Runs both at small sizes on the virtual device; `reference` may be null.
[[nodiscard]] IndexFills find_index_fills(const Draft& draft, const model::Artifact& kernel,
                                          const model::Artifact* reference);

}  // namespace evo::intake
