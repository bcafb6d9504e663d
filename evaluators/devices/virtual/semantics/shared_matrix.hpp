// A matrix in shared memory, as a 64-bit descriptor of wgmma gives it (PTX ISA, "Asynchronous warpgroup-level
// matrix shared memory layout"; CUTLASS, GmmaDescriptor and the comments of make_gmma_desc()).
//
// wgmma reads pieces of 16 bytes, whatever the layout: of a matrix whose k is contiguous, half of the 32
// bytes of a row; of one whose m or n is, eight neighbouring rows at one k. `rows` are rows of A or columns
// of B.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace evo::evaluators::virtual_device::semantics {

constexpr unsigned piece_bytes = 16;
/// What one wgmma takes of a row.
constexpr unsigned row_bytes = 32;

struct SharedMatrix {
  std::uint32_t start = 0, leading = 0, stride = 0;  ///< bytes
  std::uint32_t base_offset =
      0;                    ///< rows of 128 bytes from an address that ends in zeros to the pattern's start
  unsigned swizzle = 0;     ///< 0, or the bytes that it is over: 32, 64, 128
  bool transposed = false;  ///< not k is contiguous: only with elements of 16 bits

  /// Where piece `index` of a matrix begins, below 2^18. Pieces count along k first: of two to a row, or of
  /// 16 to eight rows.
  [[nodiscard]] std::uint32_t address_of(unsigned index) const {
    constexpr std::uint32_t window = (1U << 18) - 1;
    const unsigned width = swizzle == 0 ? piece_bytes : swizzle;  // of a contiguous run
    std::uint32_t offset = 0;
    if (!transposed) {
      const unsigned row = index / 2;
      const unsigned half = index % 2;
      offset = row % 8 * width + row / 8 * stride + half * (swizzle == 0 ? leading : piece_bytes);
    } else {
      const unsigned k = index % 16;
      const unsigned eight = index / 16;  // rows
      const unsigned eights = width / piece_bytes;
      // Without swizzle the two distances have each other's names.
      const std::uint32_t along_rows = swizzle == 0 ? stride : leading;
      const std::uint32_t along_k = swizzle == 0 ? leading : stride;
      offset = eight % eights * piece_bytes + eight / eights * along_rows + k % 8 * width + k / 8 * along_k;
    }
    const std::uint32_t address = (start + offset) & window;
    const std::uint32_t phase = (address >> 7) - base_offset;
    return address ^ (phase & (width / piece_bytes - 1)) * piece_bytes;
  }
};

/// Fields of a descriptor; `transposed` is imm-trans.
[[nodiscard]] inline SharedMatrix shared_matrix(std::uint64_t descriptor, bool transposed) {
  constexpr std::uint64_t field = 0x3fff;
  constexpr unsigned swizzles[] = {0, 128, 64, 32};
  SharedMatrix matrix;
  const auto bytes = [&](unsigned bit) {
    return static_cast<std::uint32_t>((descriptor >> bit & field) * piece_bytes);
  };
  matrix.start = bytes(0);
  matrix.leading = bytes(16);
  matrix.stride = bytes(32);
  matrix.base_offset = static_cast<std::uint32_t>(descriptor >> 49 & 7);
  matrix.swizzle = swizzles[descriptor >> 62];
  matrix.transposed = transposed;
  return matrix;
}

/// Pieces of a matrix of so many rows.
[[nodiscard]] constexpr unsigned pieces_of(unsigned rows) {
  return rows * row_bytes / piece_bytes;
}
/// The rows that a piece belongs to, from its first one on: one, or the eight of a transposed matrix.
[[nodiscard]] constexpr unsigned first_row_of(unsigned piece, bool transposed) {
  return transposed ? piece / 16 * 8 : piece / 2;
}

/// Byte `byte` of a piece stands in this byte of the tiles that a warp multiplies: of eight rows by 16 bytes,
/// a tile after the other along k, then along the rows.
[[nodiscard]] constexpr unsigned place_in_tiles(unsigned piece, unsigned byte, bool transposed) {
  const unsigned row = transposed ? piece / 16 * 8 + byte / 2 : piece / 2;
  const unsigned along = transposed ? piece % 16 * 2 + byte % 2 : piece % 2 * piece_bytes + byte;
  return (row / 8 * 2 + along / piece_bytes) * 128 + row % 8 * piece_bytes + along % piece_bytes;
}

/// Puts a piece there.
inline void place_piece(const std::byte* piece, unsigned index, bool transposed, std::byte* tiles) {
  if (!transposed) {
    std::memcpy(tiles + place_in_tiles(index, 0, false), piece, piece_bytes);
    return;
  }
  for (unsigned row = 0; row < 8; ++row)
    std::memcpy(tiles + place_in_tiles(index, 2 * row, true), piece + 2 * row, 2);
}

}  // namespace evo::evaluators::virtual_device::semantics
