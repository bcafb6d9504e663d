// The asynchronous copies of a warp that have not landed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace evo::evaluators::virtual_device::warp {

struct Op;

/// One cp.async of the lanes in `mask`, all of which were filling the same group.
struct PendingCopy {
  const Op* op = nullptr;
  std::uint32_t mask = 0;
  std::uint32_t group = 0;
  unsigned width = 0;                  ///< bytes a lane that are written
  std::uint64_t issued = 0;            ///< SharedRaces::moment()
  std::array<std::uint32_t, 32> to;    ///< shared offset
  std::array<std::uint64_t, 32> from;  ///< global address
  std::array<std::uint8_t, 32> size;   ///< bytes read; the rest is zero
};

/// In the order of issue. Groups are counted by lane: lanes that diverge may commit apart.
struct AsyncQueue {
  std::vector<PendingCopy> copies;
  std::size_t first = 0;  ///< those before have landed
  std::array<std::uint32_t, 32> committed{};

  void clear() {
    copies.clear();
    first = 0;
    committed.fill(0);
  }
  /// Gives back the room of what has landed.
  void trim() {
    while (first < copies.size() && copies[first].mask == 0) ++first;
    if (first == copies.size()) {
      copies.clear();
      first = 0;
    } else if (first >= 64 && first > copies.size() / 2) {
      copies.erase(copies.begin(), copies.begin() + static_cast<std::ptrdiff_t>(first));
      first = 0;
    }
  }
};

}  // namespace evo::evaluators::virtual_device::warp
