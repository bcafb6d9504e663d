// Loads and stores. Included by memory_portable.cpp and memory_avx2.cpp, which are compiled for different
// instruction sets.
//
// A load or store first makes the addresses of all lanes (an inactive lane gets the first active one's, so
// that hulls and vector loops need no mask), tests the hull against the memory it falls into, and drops the
// lanes that fault. Then come the checks, then the data: contiguous and uniform accesses in one piece, others
// lane by lane.

#include <bit>

#include "evaluators/devices/virtual/warp/memory_data.inl"
#include "evaluators/devices/virtual/warp/writers.inl"

namespace evo::evaluators::virtual_device::warp::EVO_ISA {
namespace {

// Small spaces: shared, local, const, param.

template <unsigned Bytes, unsigned Count, bool Write, bool Checked>
[[gnu::noinline]] void shared_access(Warp& warp, const Op* op, Addresses<std::uint32_t>& addresses,
                                     std::uint32_t mask) {
  constexpr unsigned width = Bytes * Count;
  const Window window{warp.shared, warp.shared_shadow, 0, warp.shared_bytes};
  summarize(addresses);
  if ((addresses.bits & (width - 1)) != 0 || std::uint64_t{addresses.highest} + width > window.bytes)
      [[unlikely]] {
    const std::uint32_t good =
        drop_faults(warp, op, addresses, mask, width, {Space::shared, Write}, nullptr, window);
    if constexpr (!Write) zero_lanes<Bytes, Count>(warp, op, mask & ~good);
    if (good == 0) return;
    mask = good;
    fill_inactive(addresses, mask);
    summarize(addresses);
  }
  const std::uint32_t end = addresses.highest + width;
  if (end > warp.block->shared_top) warp.block->shared_top = end;
  if (warp.counts != nullptr) [[unlikely]]
    warp.counts->shared(op->instruction, addresses.of, mask, width);
  if constexpr (Checked) {
    if constexpr (Write) {
      const Writers writers = writers_of<Bytes, Count>(warp, op, addresses, mask);
      warp.races->write(warp, op, addresses.of, writers.mask, width, addresses.lowest, end, writers.merged);
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
    const std::uint32_t good =
        drop_faults(warp, op, addresses, mask, width, {Space::local, Write}, nullptr, own);
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
  if ((addresses.bits & (width - 1)) != 0 || std::uint64_t{addresses.highest} + width > window.bytes)
      [[unlikely]] {
    const std::uint32_t good = drop_faults(warp, op, addresses, mask, width, {space, Write}, nullptr, window);
    if constexpr (!Write) zero_lanes<Bytes, Count>(warp, op, mask & ~good);
    if (good == 0) return;
    mask = good;
    fill_inactive(addresses, mask);
    summarize(addresses);
  }
  if constexpr (!Write) load_from<Bytes, Count, Checked>(warp, op, addresses, mask, window);
}

/// A store to a buffer that may not be written everywhere.
template <class A>
[[gnu::noinline]] void check_stores(Warp& warp, const Op* op, const Addresses<A>& addresses,
                                    std::uint32_t mask, unsigned width, const Region& region) {
  for (std::uint32_t left = mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(left));
    check_trespass(warp, op, region, lane, addresses.of[lane], width);
  }
}

template <unsigned Bytes, unsigned Count, bool Write, bool Checked>
[[gnu::noinline]] void global_piece(Warp& warp, const Op* op, const Addresses<std::uint64_t>& addresses,
                                    std::uint32_t mask, const Region& region) {
  constexpr unsigned width = Bytes * Count;
  if (warp.counts != nullptr) [[unlikely]]
    warp.counts->global(op->instruction, region, addresses.of, mask, width);
  if constexpr (Write) {
    if (region.restricted()) [[unlikely]]
      check_stores(warp, op, addresses, mask, width, region);
  }
  const bool shadowed = Checked && (Write || !region.all_written);
  const Window window{region.data, shadowed ? region.shadow : nullptr, region.base, region.bytes};
  if constexpr (Checked) {
    GlobalRaces& races = *warp.block->global_races;
    const std::uint64_t own = mark_of(warp);
    bool conflict = false;
    if constexpr (Write) {
      const Writers writers = writers_of<Bytes, Count>(warp, op, addresses, mask);
      for (std::uint32_t left = writers.mask; left != 0; left &= left - 1) {
        const auto lane = static_cast<unsigned>(std::countr_zero(left));
        const bool merged = (writers.merged >> lane & 1U) != 0;
        conflict |= races.write(region, addresses.of[lane], width, own + lane, merged);
      }
    } else if (!region.read_only && (!region.input || races.marks(region))) {
      const std::uint64_t sort = instruction_of(warp, op).non_coherent ? mark::non_coherent : 0;
      for (std::uint32_t left = mask; left != 0; left &= left - 1) {
        const auto lane = static_cast<unsigned>(std::countr_zero(left));
        const std::uint64_t address = addresses.of[lane];
        note_source(warp, region, address, width);
        conflict |= races.read(region, address, width, own + lane, sort);
      }
    }
    if (conflict) suspect(warp, op, SuspicionKind::race_global, 0, addresses.lowest);
  }
  if constexpr (Write) {
    warp.block->stored = true;
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
        suspect(warp, op, SuspicionKind::uninitialized,
                static_cast<std::uint32_t>(std::countr_zero(poisoned)));
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
    case 1 * 8 + 1:
      return &AccessStep<S, 1, 1, Write, Checked>::run;
    case 1 * 8 + 2:
      return &AccessStep<S, 1, 2, Write, Checked>::run;
    case 1 * 8 + 4:
      return &AccessStep<S, 1, 4, Write, Checked>::run;
    case 2 * 8 + 1:
      return &AccessStep<S, 2, 1, Write, Checked>::run;
    case 2 * 8 + 2:
      return &AccessStep<S, 2, 2, Write, Checked>::run;
    case 2 * 8 + 4:
      return &AccessStep<S, 2, 4, Write, Checked>::run;
    case 4 * 8 + 1:
      return &AccessStep<S, 4, 1, Write, Checked>::run;
    case 4 * 8 + 2:
      return &AccessStep<S, 4, 2, Write, Checked>::run;
    case 4 * 8 + 4:
      return &AccessStep<S, 4, 4, Write, Checked>::run;
    case 8 * 8 + 1:
      return &AccessStep<S, 8, 1, Write, Checked>::run;
    case 8 * 8 + 2:
      return &AccessStep<S, 8, 2, Write, Checked>::run;
    case 8 * 8 + 4:
      return &AccessStep<S, 8, 4, Write, Checked>::run;
    default:
      return nullptr;
  }
}
template <Space S, bool Checked>
Handler by_direction(const Instruction& i) {
  const unsigned bytes = size_of(i.type);
  return i.op == Opcode::st ? by_shape<S, true, Checked>(bytes, i.vector)
                            : by_shape<S, false, Checked>(bytes, i.vector);
}
template <bool Checked>
Handler by_space(const Instruction& i) {
  switch (i.space) {
    case Space::shared:
      return by_direction<Space::shared, Checked>(i);
    case Space::local:
      return by_direction<Space::local, Checked>(i);
    case Space::constant:
      return by_direction<Space::constant, Checked>(i);
    case Space::param:
      return by_direction<Space::param, Checked>(i);
    case Space::global:
      return by_direction<Space::global, Checked>(i);
    default:
      return by_direction<Space::generic, Checked>(i);
  }
}

Handler select_memory(const Instruction& instruction, bool checked) {
  return checked ? by_space<true>(instruction) : by_space<false>(instruction);
}

}  // namespace
}  // namespace evo::evaluators::virtual_device::warp::EVO_ISA
