// Lanes that store the same value to the same place in one instruction. Included by memory.inl, behind
// memory_data.inl.

namespace evo::evaluators::virtual_device::warp::EVO_ISA {
namespace {

/// Lanes whose stores stand for all of an access: of those that store the same value to the same place one
/// does, which is no race between them. `merged`: those that stand for several.
struct Writers {
  std::uint32_t mask, merged;
};
template <unsigned Bytes, unsigned Count, class A>
[[gnu::noinline]] Writers merge_writers(const Warp& warp, const Op* op, const Addresses<A>& addresses,
                                        std::uint32_t mask) {
  std::array<const std::byte*, 4> values{};
  std::uint32_t poisoned = 0;
  for (unsigned element = 0; element < Count; ++element) {
    const bool one = Count == 1;
    values[element] = warp.registers + (one ? op->b : warp.wide[op->extra].src[element]);
    poisoned |= warp.poison[one ? op->pb : warp.wide[op->extra].src_poison[element]];
  }
  Writers writers{mask, 0};
  if ((poisoned & mask) != 0) return writers;
  const auto equal = [&](unsigned a, unsigned b) {
    bool same = addresses.of[a] == addresses.of[b];
    for (unsigned element = 0; same && element < Count; ++element)
      same = read_lane<Raw<Bytes>>(values[element], a) == read_lane<Raw<Bytes>>(values[element], b);
    return same;
  };
  for (std::uint32_t left = mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    for (std::uint32_t before = writers.mask & ((1U << lane) - 1); before != 0; before &= before - 1) {
      const auto first = static_cast<unsigned>(std::countr_zero(before));
      if (!equal(first, lane)) continue;
      writers.mask &= ~(1U << lane);
      writers.merged |= 1U << first;
      break;
    }
  }
  return writers;
}
template <unsigned Bytes, unsigned Count, class A>
[[gnu::always_inline]] inline Writers writers_of(const Warp& warp, const Op* op,
                                                 const Addresses<A>& addresses, std::uint32_t mask) {
  // Places for fewer lanes than there are: some share one.
  const std::uint64_t most = std::uint64_t{addresses.highest - addresses.lowest} + Bytes * Count;
  if (most >= static_cast<std::uint64_t>(std::popcount(mask)) * Bytes * Count) [[likely]]
    return {mask, 0};
  return merge_writers<Bytes, Count>(warp, op, addresses, mask);
}

}  // namespace
}  // namespace evo::evaluators::virtual_device::warp::EVO_ISA
