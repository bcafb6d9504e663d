// Loads and stores. Included by memory_portable.cpp and memory_avx2.cpp, which are compiled for different
// instruction sets.
//
// A load or store first makes the addresses of all lanes (an inactive lane gets the first active one's, so that hulls
// and vector loops need no mask), tests the hull against the memory it falls into, and drops the lanes that fault.
// Then come the checks, then the data: contiguous and uniform accesses in one piece, others lane by lane.

#include <algorithm>
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
[[gnu::always_inline]] inline void make_addresses(const Warp& warp, const Op* op, Addresses<std::uint64_t>& out) {
  const auto* in = reinterpret_cast<const LongWord*>(warp.registers + op->a);
  const auto offset = static_cast<std::uint64_t>(op->offset);
  for (unsigned lane = 0; lane < lanes; ++lane) out.of[lane] = in[lane] + offset;
}
/// In the small spaces the base may have 32 or, by step.pc, 64 bits.
[[gnu::always_inline]] inline void make_addresses(const Warp& warp, const Op* op, Addresses<std::uint32_t>& out) {
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
  for (unsigned lane = 0; lane < lanes; ++lane) difference |= addresses.of[lane] ^ (addresses.lowest + A{lane} * width);
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
[[gnu::always_inline]] inline std::uint32_t unwritten_lanes(const Addresses<A>& addresses, const Window& window) {
  const std::uintptr_t shadow = origin_of(window.shadow, window);
  const auto all_set = [&](A address) {
    bool set = true;
    if constexpr (Width <= 8) {
      using T = std::conditional_t<Width == 1, std::uint8_t,
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
using Raw = std::conditional_t<Bytes == 8, std::uint64_t,
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
    for (unsigned element = 0; element < Count; ++element) write_lane<Raw<Bytes>>(out[element], lane, values[element]);
  }
}

template <unsigned Bytes, unsigned Count, class A>
[[gnu::always_inline]] inline void scatter(const Addresses<A>& addresses, const Window& window, std::uint32_t mask,
                                           const std::array<const std::byte*, 4>& in) {
  const std::uintptr_t data = origin_of(window.data, window);
  if (Count == 1 && Bytes >= 4 && mask == all_lanes && contiguous(addresses, Bytes)) {
    std::memcpy(at<std::byte>(data, addresses.lowest), in[0], std::size_t{lanes} * Bytes);
    return;
  }
  for (std::uint32_t left = mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    Raw<Bytes> values[Count];
    for (unsigned element = 0; element < Count; ++element) values[element] = read_lane<Raw<Bytes>>(in[element], lane);
    std::memcpy(at<std::byte>(data, addresses.of[lane]), values, sizeof values);
  }
}

/// Sign-extends the lanes of a slot of 4-byte lanes from `bits` and keeps `kept` bits (those of the register).
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

/// The data of a load from a window that holds all lanes of `mask`. `mask` may be less than warp.mask: the others,
/// which faulted or belong to another space, are left alone.
template <unsigned Bytes, unsigned Count, bool Checked, class A>
[[gnu::always_inline]] inline void load_from(Warp& warp, const Op* op, const Addresses<A>& addresses,
                                             std::uint32_t mask, const Window& window) {
  Targets targets = targets_of<Count>(warp, op);
  const bool extend = Bytes < 4 && op->c != 0;
  if (mask == all_lanes && !extend) [[likely]] {
    gather<Bytes, Count>(addresses, window, targets.slots);
  } else {
    alignas(64) std::byte staged[4][2 * slot_size];
    gather<Bytes, Count>(addresses, window, {staged[0], staged[1], staged[2], staged[3]});
    for (unsigned element = 0; element < Count; ++element) {
      if (extend) sign_extend(staged[element], 8 * Bytes, op->c);
      blend<(Bytes == 8 ? 8 : 4)>(targets.slots[element], staged[element], mask);
    }
  }
  if constexpr (Checked) {
    const std::uint32_t missing = window.shadow == nullptr ? 0 : unwritten_lanes<Bytes * Count>(addresses, window);
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
[[gnu::always_inline]] inline void store_to(Warp& warp, const Op* op, const Addresses<A>& addresses,
                                            std::uint32_t mask, const Window& window, bool track_poison) {
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
      suspect(warp, op, SuspicionKind::uninitialized, static_cast<std::uint32_t>(std::countr_zero(poisoned & mask)));
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
      std::memset(at<std::uint8_t>(shadow, addresses.of[lane]), unwritten ? shadow_unwritten : shadow_written, width);
    }
  }
}

// Small spaces: shared, local, const, param.

template <unsigned Bytes, unsigned Count, bool Write, bool Checked>
[[gnu::noinline]] void shared_access(Warp& warp, const Op* op, Addresses<std::uint32_t>& addresses,
                                                 std::uint32_t mask) {
  constexpr unsigned width = Bytes * Count;
  const Window window{warp.shared, warp.shared_shadow, 0, warp.shared_bytes};
  summarize(addresses);
  if ((addresses.bits & (width - 1)) != 0 || std::uint64_t{addresses.highest} + width > window.bytes) [[unlikely]] {
    const std::uint32_t good = drop_faults(warp, op, addresses, mask, width, {Space::shared, Write}, nullptr, window);
    if constexpr (!Write) zero_lanes<Bytes, Count>(warp, op, mask & ~good);
    if (good == 0) return;
    mask = good;
    fill_inactive(addresses, mask);
    summarize(addresses);
  }
  const std::uint32_t end = addresses.highest + width;
  if (end > warp.block->shared_top) warp.block->shared_top = end;
  if (warp.counts != nullptr) [[unlikely]] warp.counts->shared(addresses.of, mask, width);
  if constexpr (Checked) {
    if constexpr (Write) {
      warp.races->write(warp, op, addresses.of, mask, width, addresses.lowest, end);
    } else {
      warp.races->read(warp, op, addresses.of, mask, width, addresses.lowest, end);
    }
  }
  if constexpr (Write) {
    store_to<Bytes, Count, Checked>(warp, op, addresses, mask, window, true);
  } else {
    load_from<Bytes, Count, Checked>(warp, op, addresses, mask, window);
  }
}

/// Local memory: each lane has a piece of its own, so addresses become lane * size + offset.
template <unsigned Bytes, unsigned Count, bool Write, bool Checked>
[[gnu::noinline]] void local_access(Warp& warp, const Op* op, Addresses<std::uint32_t>& addresses,
                                                std::uint32_t mask) {
  constexpr unsigned width = Bytes * Count;
  const std::uint32_t bytes = warp.block->code->program->local_bytes;
  summarize(addresses);
  if ((addresses.bits & (width - 1)) != 0 || std::uint64_t{addresses.highest} + width > bytes) [[unlikely]] {
    const Window own{nullptr, nullptr, 0, bytes};
    const std::uint32_t good = drop_faults(warp, op, addresses, mask, width, {Space::local, Write}, nullptr, own);
    if constexpr (!Write) zero_lanes<Bytes, Count>(warp, op, mask & ~good);
    if (good == 0) return;
    mask = good;
    fill_inactive(addresses, mask);
  }
  if (warp.counts != nullptr) warp.counts->local();
  for (unsigned lane = 0; lane < lanes; ++lane) addresses.of[lane] += lane * bytes;
  summarize(addresses);
  const Window window{warp.local, warp.local_shadow, 0, std::uint64_t{bytes} * lanes};
  if constexpr (Write) {
    store_to<Bytes, Count, Checked>(warp, op, addresses, mask, window, true);
  } else {
    load_from<Bytes, Count, Checked>(warp, op, addresses, mask, window);
  }
}

template <unsigned Bytes, unsigned Count, bool Write, bool Checked>
[[gnu::noinline]] void read_only_access(Warp& warp, const Op* op, Addresses<std::uint32_t>& addresses,
                                                    std::uint32_t mask, Space space) {
  constexpr unsigned width = Bytes * Count;
  const Launch& launch = *warp.block->launch;
  // Never written through: stores to these spaces fault.
  Window window;
  if (space == Space::param) {
    window.data = const_cast<std::byte*>(launch.parameters.data());
    window.bytes = Write ? 0 : launch.parameters.size();
  } else {
    const auto& image = launch.program->constant_image;
    window.data = const_cast<std::byte*>(reinterpret_cast<const std::byte*>(image.data()));
    window.bytes = Write ? 0 : image.size();
  }
  summarize(addresses);
  if ((addresses.bits & (width - 1)) != 0 || std::uint64_t{addresses.highest} + width > window.bytes) [[unlikely]] {
    const std::uint32_t good = drop_faults(warp, op, addresses, mask, width, {space, Write}, nullptr, window);
    if constexpr (!Write) zero_lanes<Bytes, Count>(warp, op, mask & ~good);
    if (good == 0) return;
    mask = good;
    fill_inactive(addresses, mask);
    summarize(addresses);
  }
  if constexpr (!Write) load_from<Bytes, Count, Checked>(warp, op, addresses, mask, window);
}

template <unsigned Bytes, unsigned Count, bool Write, bool Checked>
[[gnu::always_inline]] inline void global_piece(Warp& warp, const Op* op, const Addresses<std::uint64_t>& addresses,
                                                std::uint32_t mask, const Region& region) {
  constexpr unsigned width = Bytes * Count;
  if (warp.counts != nullptr) [[unlikely]] warp.counts->global(region, addresses.of, mask, width);
  const bool shadowed = Checked && (Write || !region.all_written);
  const Window window{region.data, shadowed ? region.shadow : nullptr, region.base, region.bytes};
  if constexpr (Checked) {
    GlobalRaces& races = *warp.block->global_races;
    const std::uint64_t block = warp.block->index;
    if constexpr (Write) {
      bool conflict = false;
      for (std::uint32_t left = mask; left != 0; left &= left - 1) {
        conflict |= races.write(region, addresses.of[std::countr_zero(left)], width, block);
      }
      if (conflict) suspect(warp, op, SuspicionKind::race_global, 0, addresses.lowest);
    } else if (addresses.highest - addresses.lowest <= std::uint64_t{lanes} * width) {
      races.read(region, addresses.lowest, addresses.highest + width, block);
    } else {
      for (std::uint32_t left = mask; left != 0; left &= left - 1) {
        const std::uint64_t address = addresses.of[std::countr_zero(left)];
        races.read(region, address, address + width, block);
      }
    }
  }
  if constexpr (Write) {
    store_to<Bytes, Count, Checked>(warp, op, addresses, mask, window, false);
  } else {
    load_from<Bytes, Count, Checked>(warp, op, addresses, mask, window);
  }
}

template <unsigned Bytes, unsigned Count, bool Write, bool Checked>
[[gnu::noinline]] void global_access(Warp& warp, const Op* op, Addresses<std::uint64_t>& addresses,
                                                 std::uint32_t mask) {
  constexpr unsigned width = Bytes * Count;
  const GlobalMap& map = *warp.block->launch->memory;
  summarize(addresses);
  const Region& region = map.find(addresses.lowest);
  if ((addresses.bits & (width - 1)) == 0 && region.contains(addresses.lowest, width) &&
      region.contains(addresses.highest, width)) [[likely]] {
    return global_piece<Bytes, Count, Write, Checked>(warp, op, addresses, mask, region);
  }
  std::uint32_t good = drop_faults(warp, op, addresses, mask, width, {Space::global, Write}, &map, {});
  if constexpr (!Write) zero_lanes<Bytes, Count>(warp, op, mask & ~good);
  // Several buffers in one access: one after the other.
  while (good != 0) {
    const Region& first = map.find(addresses.of[std::countr_zero(good)]);
    std::uint32_t piece = 0;
    for (std::uint32_t left = good; left != 0; left &= left - 1) {
      const auto lane = static_cast<std::uint32_t>(std::countr_zero(left));
      if (first.contains(addresses.of[lane], width)) piece |= 1U << lane;
    }
    Addresses<std::uint64_t> part = addresses;
    fill_inactive(part, piece);
    summarize(part);
    global_piece<Bytes, Count, Write, Checked>(warp, op, part, piece, first);
    good &= ~piece;
  }
}

template <unsigned Bytes, unsigned Count, bool Write, bool Checked>
[[gnu::noinline]] void generic_access(Warp& warp, const Op* op, Addresses<std::uint64_t>& addresses,
                                      std::uint32_t mask) {
  while (mask != 0) {
    const Space space = space_of(addresses.of[std::countr_zero(mask)]);
    std::uint32_t same = 0;
    for (std::uint32_t left = mask; left != 0; left &= left - 1) {
      const auto lane = static_cast<std::uint32_t>(std::countr_zero(left));
      if (space_of(addresses.of[lane]) == space) same |= 1U << lane;
    }
    if (space == Space::global) {
      Addresses<std::uint64_t> part = addresses;
      fill_inactive(part, same);
      global_access<Bytes, Count, Write, Checked>(warp, op, part, same);
    } else {
      Addresses<std::uint32_t> part;
      for (unsigned lane = 0; lane < lanes; ++lane) {
        part.of[lane] = clamp_offset(from_generic(space, addresses.of[lane]));
      }
      fill_inactive(part, same);
      if (space == Space::shared) {
        shared_access<Bytes, Count, Write, Checked>(warp, op, part, same);
      } else if (space == Space::local) {
        local_access<Bytes, Count, Write, Checked>(warp, op, part, same);
      } else {
        read_only_access<Bytes, Count, Write, Checked>(warp, op, part, same, space);
      }
    }
    mask &= ~same;
  }
}

template <Space S, unsigned Bytes, unsigned Count, bool Write, bool Checked>
struct AccessStep {
  static const Op* run(Warp& warp, const Op* op) {
    if constexpr (Checked) {
      const std::uint32_t poisoned = warp.poison[op->pa] & warp.mask;
      if (poisoned != 0) [[unlikely]] {
        suspect(warp, op, SuspicionKind::uninitialized, static_cast<std::uint32_t>(std::countr_zero(poisoned)));
      }
    }
    constexpr bool large = S == Space::global || S == Space::generic;
    Addresses<std::conditional_t<large, std::uint64_t, std::uint32_t>> addresses;
    make_addresses(warp, op, addresses);
    fill_inactive(addresses, warp.mask);
    if constexpr (S == Space::global) {
      global_access<Bytes, Count, Write, Checked>(warp, op, addresses, warp.mask);
    } else if constexpr (S == Space::generic) {
      generic_access<Bytes, Count, Write, Checked>(warp, op, addresses, warp.mask);
    } else if constexpr (S == Space::shared) {
      shared_access<Bytes, Count, Write, Checked>(warp, op, addresses, warp.mask);
    } else if constexpr (S == Space::local) {
      local_access<Bytes, Count, Write, Checked>(warp, op, addresses, warp.mask);
    } else {
      read_only_access<Bytes, Count, Write, Checked>(warp, op, addresses, warp.mask, S);
    }
    return op + 1;
  }
};

template <Space S, bool Write, bool Checked>
Handler by_shape(unsigned bytes, unsigned count) {
  switch (bytes * 8 + count) {
    case 1 * 8 + 1: return &AccessStep<S, 1, 1, Write, Checked>::run;
    case 1 * 8 + 2: return &AccessStep<S, 1, 2, Write, Checked>::run;
    case 1 * 8 + 4: return &AccessStep<S, 1, 4, Write, Checked>::run;
    case 2 * 8 + 1: return &AccessStep<S, 2, 1, Write, Checked>::run;
    case 2 * 8 + 2: return &AccessStep<S, 2, 2, Write, Checked>::run;
    case 2 * 8 + 4: return &AccessStep<S, 2, 4, Write, Checked>::run;
    case 4 * 8 + 1: return &AccessStep<S, 4, 1, Write, Checked>::run;
    case 4 * 8 + 2: return &AccessStep<S, 4, 2, Write, Checked>::run;
    case 4 * 8 + 4: return &AccessStep<S, 4, 4, Write, Checked>::run;
    case 8 * 8 + 1: return &AccessStep<S, 8, 1, Write, Checked>::run;
    case 8 * 8 + 2: return &AccessStep<S, 8, 2, Write, Checked>::run;
    case 8 * 8 + 4: return &AccessStep<S, 8, 4, Write, Checked>::run;
    default: return nullptr;
  }
}
template <Space S, bool Checked>
Handler by_direction(const Instruction& i) {
  const unsigned bytes = size_of(i.type);
  return i.op == Opcode::st ? by_shape<S, true, Checked>(bytes, i.vector) : by_shape<S, false, Checked>(bytes, i.vector);
}
template <bool Checked>
Handler by_space(const Instruction& i) {
  switch (i.space) {
    case Space::shared: return by_direction<Space::shared, Checked>(i);
    case Space::local: return by_direction<Space::local, Checked>(i);
    case Space::constant: return by_direction<Space::constant, Checked>(i);
    case Space::param: return by_direction<Space::param, Checked>(i);
    case Space::global: return by_direction<Space::global, Checked>(i);
    default: return by_direction<Space::generic, Checked>(i);
  }
}

Handler select_memory(const Instruction& instruction, bool checked) {
  return checked ? by_space<true>(instruction) : by_space<false>(instruction);
}

}  // namespace
}  // namespace evo::evaluators::virtual_device::warp::EVO_ISA
