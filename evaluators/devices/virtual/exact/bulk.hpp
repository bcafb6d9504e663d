// Bulk copies (TMA) that a block has under way.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "evaluators/devices/virtual/exact/access.hpp"
#include "evaluators/devices/virtual/exact/race.hpp"
#include "evaluators/devices/virtual/tensor_map.hpp"

namespace evo::evaluators::virtual_device::exact {

/// A row of what is copied, and its place in global memory; `place` counts where first < last.
struct BulkRow {
  BoxRow box;
  Place place;
};

struct BulkCopy {
  BulkMode mode = BulkMode::none;
  std::uint32_t thread = 0, instruction = 0;  ///< who issued it, and where
  Access issue;
  Place shared;               ///< all of it
  std::uint32_t swizzle = 0;  ///< bytes
  std::vector<BulkRow> rows;
  std::uint64_t low = ~std::uint64_t{0}, high = 0;  ///< global addresses of the rows are in [low, high)
  std::uint32_t group = 0;                          ///< store, reduce: of its thread
  bool read = false;                                ///< store, reduce: shared memory may be used again
  AtomicOp operation = AtomicOp::none;
  Type type = Type::none;  ///< reduce: of an element
};

/// Calls visit(shared offset, row, offset in the row, bytes) for the consecutive pieces of the copy, of at
/// most 16 bytes.
template <class Visit>
void for_each_piece(const BulkCopy& copy, Visit visit) {
  constexpr std::uint32_t chunk = 16;
  for (const BulkRow& row : copy.rows) {
    for (std::uint32_t offset = 0; offset < row.box.bytes; offset += chunk) {
      const std::uint64_t at = copy.shared.address + row.box.at + offset;
      visit(swizzled(at, copy.swizzle), row, offset, std::min(chunk, row.box.bytes - offset));
    }
  }
}

}  // namespace evo::evaluators::virtual_device::exact
