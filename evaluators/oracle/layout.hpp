// How a strided argument lies in its buffer on a device, and in the host's copy of that buffer.
//
// The host's copy is the buffer, byte for byte, with one exception: a gap of at least wide_gap_bytes between
// the parts of a view with 64-bit strides (one whose offsets need more than 32 bits) is shortened to about
// gap_kept_bytes in it. So a view that spans terabytes costs the host, and a device that maps only the parts,
// what its elements need. Everything here speaks of that copy, but device_bytes() and parts_of().
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/variant.hpp"

namespace evo::evaluators::oracle {

/// Number of logical elements (the product of the shape).
[[nodiscard]] std::int64_t element_count(const model::BoundArgument& argument);

inline constexpr std::int64_t wide_gap_bytes = std::int64_t{1} << 30;
inline constexpr std::int64_t gap_kept_bytes = 256;

/// The argument as it lies in the host's copy: the same shape, with smaller strides where it is a view with
/// 64-bit strides.
[[nodiscard]] model::BoundArgument host_layout(const model::BoundArgument& argument);

/// Bytes of the host's copy.
[[nodiscard]] std::int64_t buffer_bytes(const model::BoundArgument& argument);

/// Bytes of the buffer on the device, from the first element to the last: extent() elements.
[[nodiscard]] std::int64_t device_bytes(const model::BoundArgument& argument);

/// A piece of the host's copy and where it stands in the device's buffer. Both offsets are the same modulo
/// 256.
struct Part {
  std::int64_t host_offset = 0, device_offset = 0, bytes = 0;
};
/// The pieces in the order of their offsets; one, the whole buffer, unless the argument is a view with 64-bit
/// strides.
[[nodiscard]] std::vector<Part> parts_of(const model::BoundArgument& argument);

/// True if any argument is a view with 64-bit strides.
[[nodiscard]] bool has_64bit_strides(const model::Case& bound);

/// Coordinates of the logical element `index` (row-major over the shape).
[[nodiscard]] std::vector<std::int64_t> coordinates_of(const model::BoundArgument& argument,
                                                       std::int64_t index);

/// Element offset in the host's copy of each logical element, in row-major order of the shape.
[[nodiscard]] std::vector<std::int64_t> element_offsets(const model::BoundArgument& argument);

/// use(index, offset) for the logical elements [begin, end) in row-major order: what element_offsets() lists,
/// without the list, which is four times as large as an array of 16-bit elements.
template <class Use>
void for_elements(const model::BoundArgument& on_device, std::int64_t begin, std::int64_t end,
                  const Use& use) {
  if (begin >= end) return;
  const model::BoundArgument argument = host_layout(on_device);
  const std::size_t rank = argument.shape.size();
  if (rank == 0) {
    for (std::int64_t e = begin; e < end; ++e) use(e, std::int64_t{0});
    return;
  }
  std::vector<std::int64_t> position = coordinates_of(argument, begin);
  std::int64_t offset = 0;  // of the row's first element
  for (std::size_t d = 0; d + 1 < rank; ++d) offset += position[d] * argument.strides[d];
  const std::int64_t stride = argument.strides[rank - 1], length = argument.shape[rank - 1];
  for (std::int64_t e = begin; e < end;) {
    const std::int64_t from = position[rank - 1];
    const std::int64_t count = length - from < end - e ? length - from : end - e;
    for (std::int64_t k = 0; k < count; ++k) use(e + k, offset + (from + k) * stride);
    e += count;
    position[rank - 1] = 0;
    for (std::size_t d = rank - 1; d-- > 0;) {
      offset += argument.strides[d];
      if (++position[d] < argument.shape[d]) break;
      offset -= argument.strides[d] * argument.shape[d];
      position[d] = 0;
    }
  }
}

/// Elements that lie next to each other in the buffer, or alone.
struct Row {
  std::int64_t first = 0;   ///< logical index of the first one
  std::int64_t offset = 0;  ///< of the first one, in elements
  std::int64_t count = 0;
};

/// Bytes of the host's copies of all array arguments.
[[nodiscard]] std::int64_t case_bytes(const model::Case& bound);

/// The logical elements in row-major order as the longest runs that the strides allow: one run for a dense
/// argument.
[[nodiscard]] std::vector<Row> rows_of(const model::BoundArgument& argument);

/// One flag for each element of the host's copy: true where a logical element lies, false in a gap.
[[nodiscard]] std::vector<bool> addressed_elements(const model::BoundArgument& argument);

/// True if two logical elements share an element of the buffer (a broadcast view): no output may.
[[nodiscard]] bool overlaps_itself(const model::BoundArgument& argument);

/// The whole argument as doubles, row-major over the shape. `bytes` holds buffer_bytes().
[[nodiscard]] std::vector<double> load_array(const model::BoundArgument& argument,
                                             const std::vector<std::byte>& bytes);

}  // namespace evo::evaluators::oracle
