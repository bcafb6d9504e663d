// Indices of several dimensions in one number, which the code takes apart again: id % k * rows + id / k.
#pragma once

#include <optional>
#include <string>

#include "intake/draft.hpp"
#include "model/artifact.hpp"

namespace evo::intake {

/// Such an index may be too great and lead back into the array, so that no greatest number shows. The product
/// of two axes or more below which any numbers of the argument stay in bounds, at two sets of sizes, while
/// numbers below twice that do not; nothing where there is none. `reference` may be null.
[[nodiscard]] std::optional<std::string> find_index_product(const Draft& draft, const model::Artifact& kernel,
                                                            const model::Artifact* reference,
                                                            std::size_t argument);

}  // namespace evo::intake
