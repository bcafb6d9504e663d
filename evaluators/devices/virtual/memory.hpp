// Global memory of the PTX machine: the buffers, and the map through which one launch sees them.
//
// Threads: a GlobalMap is immutable while a launch runs; the bytes and shadow bytes it points to are shared
// by blocks that run in parallel. The machines access them with plain loads and stores of 1 to 16 bytes, and
// with std::atomic_ref for atomics. Neighbouring bytes may be written by different threads (one shadow byte
// per byte, so no read-modify-write is ever needed). Blocks that race in global memory race on the host as
// well: the values are then unspecified, but nothing outside the buffer is ever touched, and the race is
// told.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "evaluators/devices/virtual/element_mask.hpp"
#include "evaluators/devices/virtual/memory_map.hpp"

namespace evo::evaluators::virtual_device {

/// Shadow of a byte: whether anything has written it.
constexpr std::uint8_t shadow_unwritten = 0;
constexpr std::uint8_t shadow_written = 0xff;

/// Why a store inside a buffer may not be made.
enum class Trespass : std::uint8_t { none, input, gap };

/// One mapped range of global addresses. `data` and `shadow` have `bytes` bytes; both are 256-byte aligned
/// plus the buffer's misalignment, so that an access that is aligned on the device is aligned on the host.
struct Region {
  std::uint64_t base = 0;   ///< address of byte 0
  std::uint64_t bytes = 0;  ///< 0 = nothing is mapped here
  std::byte* data = nullptr;
  std::uint8_t* shadow = nullptr;
  /// Every byte was written before the launch: shadow loads can be skipped. Never becomes false in a launch.
  bool all_written = false;
  /// Filled by the host, and nothing that blocks pass to one another: see LaunchReport::blocks_independent.
  bool input = false;
  bool read_only = false;  ///< an input: a store is a mistake whatever it writes
  std::uint32_t slot = 0;
  std::uint32_t index = 0;                ///< among the regions of its map, which sets it
  const ElementMask* elements = nullptr;  ///< null: no gaps between elements
  std::uint64_t view_offset = 0;          ///< of byte 0, in what `elements` counts

  /// Have stores to be looked at? Rarely, so that they are cheap where they are allowed everywhere.
  [[nodiscard]] bool restricted() const { return read_only || elements != nullptr; }
  /// Of a store that contains() allows.
  [[nodiscard]] Trespass trespass(std::uint64_t address, std::uint64_t width) const {
    if (read_only) return Trespass::input;
    const bool gap = elements != nullptr && !elements->holds(address - base + view_offset, width);
    return gap ? Trespass::gap : Trespass::none;
  }

  /// All of [address, address + width) inside? Cheap: two comparisons, no overflow.
  [[nodiscard]] bool contains(std::uint64_t address, std::uint64_t width) const {
    const std::uint64_t offset = address - base;
    return offset < bytes && width <= bytes - offset;
  }
};

/// What a launch can reach: the buffers among its arguments and the module's own data. For a warp, look up
/// the slot of the lowest address, then test lowest and highest address against one Region. A device gives
/// every new buffer a new slot, so that numbers of slots grow as long as a run lasts: what a map costs
/// depends on how many regions it has.
class GlobalMap {
 public:
  /// Replaces whatever was in the region's slot.
  void map(const Region& region, std::string name);

  /// Region of the slot of `address`; never null, an unmapped slot has bytes = 0 so that contains() is false.
  [[nodiscard]] const Region& find(std::uint64_t address) const {
    const std::uint64_t slot = slot_of(address);
    for (std::uint64_t at = slot;; ++at) {
      const Entry& entry = entries_[at & (entries_.size() - 1)];
      if (entry.slot == slot) return regions_[entry.index];
      if (entry.slot == no_slot) return nothing_;
    }
  }
  /// find() if the whole access is inside, else null.
  [[nodiscard]] const Region* locate(std::uint64_t address, std::uint64_t width) const {
    const Region& region = find(address);
    return region.contains(address, width) ? &region : nullptr;
  }
  /// In the order in which they were mapped first; Region::index counts them.
  [[nodiscard]] std::span<const Region> regions() const { return regions_; }
  /// Name of the buffer in the slot of `address`, empty if none.
  [[nodiscard]] const std::string& name_at(std::uint64_t address) const;
  /// "buffer K, byte offset 16384 (4 bytes past its end)", for messages.
  [[nodiscard]] std::string describe(std::uint64_t address, std::uint64_t width) const;

 private:
  static constexpr std::uint32_t no_slot = ~std::uint32_t{0};
  struct Entry {
    std::uint32_t slot = no_slot, index = 0;
  };
  void enter(std::uint32_t slot, std::uint32_t index);

  Region nothing_;
  /// Open addressing by slot: a power of two, at most a quarter full.
  std::vector<Entry> entries_ = std::vector<Entry>(16);
  std::vector<Region> regions_;
  std::vector<std::string> names_;
};

/// Owns the bytes of one buffer and their shadow.
class Buffer {
 public:
  /// Uninitialised, zero-filled on the host, `position` bytes behind the place where buffers of the slot
  /// usually begin. Throws std::bad_alloc.
  Buffer(std::uint32_t slot, std::string name, std::uint64_t bytes, std::uint64_t position);

  [[nodiscard]] std::uint64_t address() const { return region_.base; }
  [[nodiscard]] std::uint64_t bytes() const { return region_.bytes; }
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] std::uint32_t slot() const { return region_.slot; }
  /// As a launch maps it; all_written is up to date.
  [[nodiscard]] Region region() const;

  /// What a kernel may store there; `elements` may be null, `view_offset` as in Region.
  void zero_before_launches() { zeroed_ = true; }
  void restore_before_launches() { restored_ = true; }
  /// Zeros, or what was written last, if it holds that before every launch.
  void prepare();
  void restrict(bool read_only, std::shared_ptr<const ElementMask> elements, std::uint64_t view_offset);

  /// Copies in from byte 0 and marks as written; `source` fits (checked by the caller). A buffer that is
  /// filled so and was never poisoned is an input.
  void write(std::span<const std::byte> source);
  void read(std::span<std::byte> destination) const;
  /// Fills with the pattern, little-endian from byte 0, and marks as never written.
  void poison(std::uint32_t pattern);
  /// Recomputes whether all bytes are written; call after a launch.
  void refresh();
  /// One shadow byte for each byte.
  [[nodiscard]] std::span<const std::uint8_t> shadow() const { return {region_.shadow, region_.bytes}; }
  /// Nothing was written, and no launch made, since poison(): a snapshot then costs nothing.
  [[nodiscard]] bool is_pristine() const { return pristine_.has_value(); }

  /// Contents and shadow at one moment.
  struct Snapshot {
    std::vector<std::byte> data;
    std::vector<std::uint8_t> shadow;     ///< empty: all written
    std::optional<std::uint32_t> poison;  ///< instead of both: this pattern, all unwritten
  };
  [[nodiscard]] Snapshot snapshot() const;
  void restore(const Snapshot& snapshot);

 private:
  /// The pattern everywhere, and nothing written.
  void fill(std::uint32_t pattern);

  std::string name_;
  std::unique_ptr<std::byte[]> storage_;
  std::unique_ptr<std::uint8_t[]> shadow_;
  std::shared_ptr<const ElementMask> elements_;
  bool zeroed_ = false, restored_ = false;
  std::vector<std::byte> written_;  ///< restored: the last write()
  Region region_;
  bool poisoned_ = false;                  ///< ever
  std::optional<std::uint32_t> pristine_;  ///< the pattern
};

}  // namespace evo::evaluators::virtual_device
