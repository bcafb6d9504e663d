// What the name of a macro says about the choice that it is.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace evo::intake {

enum class GeneMeaning : std::uint8_t {
  threads,  ///< threads of a block, or along one of its sides
  tile,     ///< elements of a side of a block's tile
  items,    ///< elements of a thread
  vector,   ///< elements of an access
  unroll,   ///< how far a loop is unrolled
  stages,   ///< buffers in flight
  flag,     ///< 0 or 1
  other,
};
[[nodiscard]] GeneMeaning meaning_of(std::string_view name);

/// The side of a block that a name of meaning threads or tile belongs to: 'x', 'y', 'z'; 0: it says none.
[[nodiscard]] char side_of(std::string_view name);

/// Values to try first, in order; of a block with several sides, fewer a side.
[[nodiscard]] std::vector<std::string> usual_values(std::string_view name, bool several_sides);

/// Whether an axis of this name is the length of a row: imageW, width, ncols, nx.
[[nodiscard]] bool names_row_length(const std::string& name);

/// Whether an axis of this name counts what all rows of a sparse matrix or a graph have: nnz, num_edges.
[[nodiscard]] bool names_entries(const std::string& name);

/// Whether a scalar of this name is a size: n, width, num_rows. `float` scalars never are.
[[nodiscard]] bool names_size(std::string_view name);

}  // namespace evo::intake
