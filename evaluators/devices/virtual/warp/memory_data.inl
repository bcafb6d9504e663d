// The data of loads and stores: addresses of all lanes, their hull, faults, shadow bytes, and moving the
// bytes. Included by memory.inl.

#include <array>
#include <bit>
#include <cstring>

#include "evaluators/devices/virtual/memory_map.hpp"
#include "evaluators/devices/virtual/warp/handlers.hpp"
#include "evaluators/devices/virtual/warp/lanes.hpp"

namespace evo::evaluators::virtual_device::warp::EVO_ISA {
namespace {

/// Addresses of one access, A is 32 bits for offsets in the small spaces, 64 for global addresses.
template <class A>
struct Addresses {
  alignas(64) A of[lanes];
  A lowest = 0, highest = 0, bits = 0;  ///< bits: all addresses or-ed, for alignment
};

template <class A>
[[gnu::always_inline]] inline void summarize(Addresses<A>& addresses) {
  A lowest = addresses.of[0];
  A highest = addresses.of[0];
  A bits = 0;
  for (unsigned lane = 0; lane < lanes; ++lane) {
    const A address = addresses.of[lane];
    lowest = address < lowest ? address : lowest;
    highest = address > highest ? address : highest;
    bits |= address;
  }
  addresses.lowest = lowest;
  addresses.highest = highest;
  addresses.bits = bits;
}

template <class A>
[[gnu::always_inline]] inline void fill_inactive(Addresses<A>& addresses, std::uint32_t mask) {
  if (mask == all_lanes) return;
  const A first = addresses.of[std::countr_zero(mask)];
  for (unsigned lane = 0; lane < lanes; ++lane) {
    addresses.of[lane] = (mask >> lane & 1U) != 0 ? addresses.of[lane] : first;
  }
}

/// Offsets past 4 GiB stay past every small window.
[[gnu::always_inline]] inline std::uint32_t clamp_offset(std::uint64_t offset) {
  return offset > 0xffffff00U ? 0xffffff00U : static_cast<std::uint32_t>(offset);
}
/// Base register plus offset; the base of a global or generic access has 64 bits.
[[gnu::always_inline]] inline void make_addresses(const Warp& warp, const Op* op,
                                                  Addresses<std::uint64_t>& out) {
  const auto* in = reinterpret_cast<const LongWord*>(warp.registers + op->a);
  const auto offset = static_cast<std::uint64_t>(op->offset);
  for (unsigned lane = 0; lane < lanes; ++lane) out.of[lane] = in[lane] + offset;
}
/// In the small spaces the base may have 32 or, by step.pc, 64 bits.
[[gnu::always_inline]] inline void make_addresses(const Warp& warp, const Op* op,
                                                  Addresses<std::uint32_t>& out) {
  if (op->pc != 0) [[unlikely]] {
    Addresses<std::uint64_t> full;
    make_addresses(warp, op, full);
    for (unsigned lane = 0; lane < lanes; ++lane) out.of[lane] = clamp_offset(full.of[lane]);
    return;
  }
  const auto* in = reinterpret_cast<const Word*>(warp.registers + op->a);
  const auto offset = static_cast<std::uint32_t>(op->offset);
  for (unsigned lane = 0; lane < lanes; ++lane) out.of[lane] = in[lane] + offset;
}

template <class A>
[[gnu::always_inline]] inline bool contiguous(const Addresses<A>& addresses, unsigned width) {
  if (addresses.highest - addresses.lowest != A{31} * width) return false;
  A difference = 0;
  for (unsigned lane = 0; lane < lanes; ++lane)
    difference |= addresses.of[lane] ^ (addresses.lowest + A{lane} * width);
  return difference == 0;
}

/// The bytes that a space maps, as one range.
struct Window {
  std::byte* data = nullptr;
  std::uint8_t* shadow = nullptr;  ///< null: everything is written
  std::uint64_t base = 0;
  std::uint64_t bytes = 0;
};

/// Where address 0 would be; a number, since no pointer can stand outside its array.
[[gnu::always_inline]] inline std::uintptr_t origin_of(const void* start, const Window& window) {
  return reinterpret_cast<std::uintptr_t>(start) - window.base;
}
template <class T>
[[gnu::always_inline]] inline T* at(std::uintptr_t origin, std::uint64_t address) {
  return reinterpret_cast<T*>(origin + address);
}

struct AccessKind {
  Space space;
  bool write;
};

/// Tells the faulting lanes of `mask`, and returns the others.
template <class A>
[[gnu::noinline]] std::uint32_t drop_faults(Warp& warp, const Op* op, const Addresses<A>& addresses,
                                            std::uint32_t mask, unsigned width, AccessKind kind,
                                            const GlobalMap* map, const Window& window) {
  for (std::uint32_t left = mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(left));
    const std::uint64_t address = addresses.of[lane];
    const std::uint64_t offset = address - window.base;
    const bool inside = map != nullptr ? map->locate(address, width) != nullptr
                                       : offset < window.bytes && width <= window.bytes - offset;
    const bool aligned = (address & (width - 1)) == 0;
    if (inside && aligned) continue;
    Fault fault;
    fault.kind = inside ? FaultKind::misaligned : FaultKind::out_of_bounds;
    fault.space = kind.space;
    fault.write = kind.write;
    fault.thread = BlockState::thread_of(warp, lane);
    fault.address = address;
    fault.width = width;
    const std::uint32_t next = left & (left - 1);
    if (next != 0) {
      fault.lane_stride = static_cast<std::int64_t>(addresses.of[std::countr_zero(next)]) -
                          static_cast<std::int64_t>(address);
    }
    fail(warp, op, fault);
    mask &= ~(1U << lane);
  }
  return mask;
}

/// Lanes of a read that see a byte nothing wrote.
template <unsigned Width, class A>
[[gnu::always_inline]] inline std::uint32_t unwritten_lanes(const Addresses<A>& addresses,
                                                            const Window& window) {
  const std::uintptr_t shadow = origin_of(window.shadow, window);
  const auto all_set = [&](A address) {
    bool set = true;
    if constexpr (Width <= 8) {
      using T = std::conditional_t<
          Width == 1, std::uint8_t,
          std::conditional_t<Width == 2, std::uint16_t,
                             std::conditional_t<Width == 4, std::uint32_t, std::uint64_t>>>;
      T value;
      std::memcpy(&value, at<std::uint8_t>(shadow, address), Width);
      set = value == static_cast<T>(~T{0});
    } else {
      std::uint64_t value = ~std::uint64_t{0};
      for (unsigned part = 0; part < Width; part += 8) {
        std::uint64_t eight;
        std::memcpy(&eight, at<std::uint8_t>(shadow, address) + part, 8);
        value &= eight;
      }
      set = value == ~std::uint64_t{0};
    }
    return set;
  };
  if (addresses.lowest == addresses.highest) return all_set(addresses.lowest) ? 0 : all_lanes;
  if (addresses.highest - addresses.lowest == A{31} * Width && contiguous(addresses, Width)) {
    std::uint64_t all = ~std::uint64_t{0};
    const std::uint8_t* from = at<std::uint8_t>(shadow, addresses.lowest);
    for (unsigned byte = 0; byte + 8 <= 32 * Width; byte += 8) {
      std::uint64_t eight;
      std::memcpy(&eight, from + byte, 8);
      all &= eight;
    }
    if (all == ~std::uint64_t{0}) return 0;
  }
  std::uint32_t missing = 0;
  for (unsigned lane = 0; lane < lanes; ++lane) {
    missing |= static_cast<std::uint32_t>(!all_set(addresses.of[lane])) << lane;
  }
  return missing;
}

template <unsigned Bytes>
using Raw =
    std::conditional_t<Bytes == 8, std::uint64_t,
                       std::conditional_t<Bytes == 4, std::uint32_t,
                                          std::conditional_t<Bytes == 2, std::uint16_t, std::uint8_t>>>;

/// Reads Count elements of Bytes each into the slots `out`, all lanes.
template <unsigned Bytes, unsigned Count, class A>
[[gnu::always_inline]] inline void gather(const Addresses<A>& addresses, const Window& window,
                                          const std::array<std::byte*, 4>& out) {
  const std::uintptr_t data = origin_of(window.data, window);
  if (addresses.lowest == addresses.highest) {
    for (unsigned element = 0; element < Count; ++element) {
      Raw<Bytes> value;
      std::memcpy(&value, at<std::byte>(data, addresses.lowest) + element * Bytes, Bytes);
      for (unsigned lane = 0; lane < lanes; ++lane) write_lane<Raw<Bytes>>(out[element], lane, value);
    }
    return;
  }
  if (Count == 1 && Bytes >= 4 && contiguous(addresses, Bytes)) {
    std::memcpy(out[0], at<std::byte>(data, addresses.lowest), std::size_t{lanes} * Bytes);
    return;
  }
  for (unsigned lane = 0; lane < lanes; ++lane) {
    Raw<Bytes> values[Count];
    std::memcpy(values, at<std::byte>(data, addresses.of[lane]), sizeof values);
    for (unsigned element = 0; element < Count; ++element)
      write_lane<Raw<Bytes>>(out[element], lane, values[element]);
  }
}

template <unsigned Bytes, unsigned Count, class A>
[[gnu::always_inline]] inline void scatter(const Addresses<A>& addresses, const Window& window,
                                           std::uint32_t mask, const std::array<const std::byte*, 4>& in) {
  const std::uintptr_t data = origin_of(window.data, window);
  if (Count == 1 && Bytes >= 4 && mask == all_lanes && contiguous(addresses, Bytes)) {
    std::memcpy(at<std::byte>(data, addresses.lowest), in[0], std::size_t{lanes} * Bytes);
    return;
  }
  for (std::uint32_t left = mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    Raw<Bytes> values[Count];
    for (unsigned element = 0; element < Count; ++element)
      values[element] = read_lane<Raw<Bytes>>(in[element], lane);
    std::memcpy(at<std::byte>(data, addresses.of[lane]), values, sizeof values);
  }
}

/// Sign-extends the lanes of a slot of 4-byte lanes from `bits` and keeps `kept` bits (those of the
/// register).
inline void sign_extend(std::byte* slot, unsigned bits, std::uint32_t kept) {
  Word* words = reinterpret_cast<Word*>(slot);
  const unsigned shift = 32 - bits;
  for (unsigned lane = 0; lane < lanes; ++lane) {
    words[lane] = static_cast<std::uint32_t>(static_cast<std::int32_t>(words[lane] << shift) >> shift) & kept;
  }
}

/// The slots of the destinations, and their poison.
struct Targets {
  std::array<std::byte*, 4> slots{};
  std::array<std::uint32_t, 4> poison{};
};
template <unsigned Count>
[[gnu::always_inline]] inline Targets targets_of(const Warp& warp, const Op* op) {
  Targets result;
  if constexpr (Count == 1) {
    result.slots[0] = warp.registers + op->d;
    result.poison[0] = op->pd;
  } else {
    const Wide& wide = warp.wide[op->extra];
    for (unsigned element = 0; element < Count; ++element) {
      result.slots[element] = warp.registers + wide.dst[element];
      result.poison[element] = wide.dst_poison[element];
    }
  }
  return result;
}

/// The data of a load from a window that holds all lanes of `mask`. `mask` may be less than warp.mask: the
/// others, which faulted or belong to another space, are left alone. Not inlined into the access of each
/// space, and store_to() neither, for the sake of compile time.
template <unsigned Bytes, unsigned Count, bool Checked, class A>
[[gnu::noinline]] void load_from(Warp& warp, const Op* op, const Addresses<A>& addresses, std::uint32_t mask,
                                 const Window& window) {
  Targets targets = targets_of<Count>(warp, op);
  const bool extend = Bytes < 4 && op->c != 0;
  const bool straight = mask == all_lanes && !extend;
  alignas(64) std::byte staged[4][2 * slot_size];
  gather<Bytes, Count>(addresses, window,
                       straight ? targets.slots : std::array{staged[0], staged[1], staged[2], staged[3]});
  if (!straight) [[unlikely]] {
    for (unsigned element = 0; element < Count; ++element) {
      if (extend) sign_extend(staged[element], 8 * Bytes, op->c);
      blend<(Bytes == 8 ? 8 : 4)>(targets.slots[element], staged[element], mask);
    }
  }
  if constexpr (Checked) {
    const std::uint32_t missing =
        window.shadow == nullptr ? 0 : unwritten_lanes<Bytes * Count>(addresses, window);
    for (unsigned element = 0; element < Count; ++element) {
      std::uint32_t& poison = warp.poison[targets.poison[element]];
      poison = (poison & ~mask) | (missing & mask);
    }
  }
}

/// Zero for the lanes of a load that faulted.
template <unsigned Bytes, unsigned Count>
[[gnu::noinline]] void zero_lanes(Warp& warp, const Op* op, std::uint32_t mask) {
  alignas(64) static constexpr std::byte zeros[2 * slot_size] = {};
  const Targets targets = targets_of<Count>(warp, op);
  for (unsigned element = 0; element < Count; ++element) {
    blend<(Bytes == 8 ? 8 : 4)>(targets.slots[element], zeros, mask);
    warp.poison[targets.poison[element]] &= ~mask;
  }
}

template <unsigned Bytes, unsigned Count, bool Checked, class A>
[[gnu::noinline]] void store_to(Warp& warp, const Op* op, const Addresses<A>& addresses, std::uint32_t mask,
                                const Window& window, bool track_poison) {
  std::array<const std::byte*, 4> values{};
  std::uint32_t poisoned = 0;
  if constexpr (Count == 1) {
    values[0] = warp.registers + op->b;
    if constexpr (Checked) poisoned = warp.poison[op->pb];
  } else {
    const Wide& wide = warp.wide[op->extra];
    for (unsigned element = 0; element < Count; ++element) {
      values[element] = warp.registers + wide.src[element];
      if constexpr (Checked) poisoned |= warp.poison[wide.src_poison[element]];
    }
  }
  scatter<Bytes, Count>(addresses, window, mask, values);
  if constexpr (Checked) {
    if (!track_poison && (poisoned & mask) != 0) {
      suspect(warp, op, SuspicionKind::uninitialized,
              static_cast<std::uint32_t>(std::countr_zero(poisoned & mask)));
    }
    if (window.shadow == nullptr) return;
    const std::uintptr_t shadow = origin_of(window.shadow, window);
    constexpr unsigned width = Bytes * Count;
    if (mask == all_lanes && poisoned == 0 && contiguous(addresses, width)) {
      std::memset(at<std::uint8_t>(shadow, addresses.lowest), shadow_written, std::size_t{lanes} * width);
      return;
    }
    for (std::uint32_t left = mask; left != 0; left &= left - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(left));
      const bool unwritten = track_poison && (poisoned >> lane & 1U) != 0;
      std::memset(at<std::uint8_t>(shadow, addresses.of[lane]), unwritten ? shadow_unwritten : shadow_written,
                  width);
    }
  }
}

}  // namespace
}  // namespace evo::evaluators::virtual_device::warp::EVO_ISA
