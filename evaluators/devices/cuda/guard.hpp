// Guard zones: bytes on both sides of a buffer that no kernel may change. Each byte depends on its position
// and on the buffer, so that a kernel which copies a neighbour, or writes zeros, is seen.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace evo::evaluators::cuda {

/// At least this many bytes stand before and after a buffer.
inline constexpr std::uint64_t guard_bytes = 16 * 1024;
inline constexpr std::uint64_t base_alignment = 256;

/// Where a buffer lies in its allocation, in bytes from the allocation's start (256-byte aligned).
struct GuardedLayout {
  std::uint64_t front = 0;  ///< bytes before the buffer
  std::uint64_t bytes = 0;  ///< the buffer
  std::uint64_t back = 0;   ///< bytes after it
  [[nodiscard]] std::uint64_t total() const { return front + bytes + back; }
};
/// `zone` = 0: nothing but the misalignment before the buffer, and nothing behind it.
[[nodiscard]] GuardedLayout guarded_layout(std::uint64_t bytes, std::uint32_t misalignment,
                                           std::uint64_t zone = guard_bytes);

/// Fills `zone`, which starts `first` bytes into the allocation.
void fill_guard(std::span<std::byte> zone, std::uint64_t first, std::uint32_t seed);

struct GuardDamage {
  std::uint64_t offset = 0;  ///< of the first changed byte, from the zone's start
  std::uint64_t count = 0;   ///< of changed bytes
};
[[nodiscard]] std::optional<GuardDamage> find_damage(std::span<const std::byte> zone, std::uint64_t first,
                                                     std::uint32_t seed);

}  // namespace evo::evaluators::cuda
