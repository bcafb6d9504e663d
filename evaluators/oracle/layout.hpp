// How a strided argument lies in its buffer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/variant.hpp"

namespace evo::evaluators::oracle {

/// Number of logical elements (the product of the shape).
[[nodiscard]] std::int64_t element_count(const model::BoundArgument& argument);

/// Bytes of the buffer that holds the argument: extent() elements.
[[nodiscard]] std::int64_t buffer_bytes(const model::BoundArgument& argument);

/// Coordinates of the logical element `index` (row-major over the shape).
[[nodiscard]] std::vector<std::int64_t> coordinates_of(const model::BoundArgument& argument,
                                                       std::int64_t index);

/// Element offset of each logical element, in row-major order of the shape.
[[nodiscard]] std::vector<std::int64_t> element_offsets(const model::BoundArgument& argument);

/// Elements that lie next to each other in the buffer, or alone.
struct Row {
  std::int64_t first = 0;   ///< logical index of the first one
  std::int64_t offset = 0;  ///< of the first one, in elements
  std::int64_t count = 0;
};

/// The logical elements in row-major order as the longest runs that the strides allow: one run for a dense
/// argument.
[[nodiscard]] std::vector<Row> rows_of(const model::BoundArgument& argument);

/// One flag for each element of the extent: true where a logical element lies, false in a gap.
[[nodiscard]] std::vector<bool> addressed_elements(const model::BoundArgument& argument);

/// True if two logical elements share an element of the buffer (a broadcast view): no output may.
[[nodiscard]] bool overlaps_itself(const model::BoundArgument& argument);

/// The whole argument as doubles, row-major over the shape. `bytes` holds buffer_bytes().
[[nodiscard]] std::vector<double> load_array(const model::BoundArgument& argument,
                                             const std::vector<std::byte>& bytes);

}  // namespace evo::evaluators::oracle
