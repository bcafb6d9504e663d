// Rows that two arrays say, one where each begins and the other where it ends or how long it is.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "intake/draft.hpp"
#include "intake/index_codes.hpp"
#include "model/artifact.hpp"

namespace evo::intake {

/// What two arrays of one shape hold, so that no row leaves what it is of.
struct RowPair {
  std::size_t begins = 0, rows = 0;    ///< arguments
  std::string begins_fill, rows_fill;  ///< {integers: [0, nnz]}, {ends: [begins, nnz]}
};

/// Of arrays of integers without a fill. `ranges`: by argument, what each may hold as long as the others hold
/// zeros and ones. Ends: whatever is beyond them does no harm in the other array, and what is below 0 does.
/// Lengths: with any numbers of both ranges rows leave their array, with shorter ones they do not.
[[nodiscard]] std::vector<RowPair> find_row_pairs(const Draft& draft, const model::Artifact& kernel,
                                                  const model::Artifact* reference, const IndexCodes& codes,
                                                  const std::vector<bool>& asked,
                                                  const std::vector<std::optional<std::string>>& ranges);

}  // namespace evo::intake
