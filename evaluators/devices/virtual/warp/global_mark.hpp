// What the filter for races in global memory remembers of a granule: one word, and how accesses change it.
//
// The last block to touch it, the moment (the number of the block's barriers so far) and the thread of its
// last access, and what was done. Of one block's accesses, those of an earlier moment come before, and a
// thread's own are in order; everything else that conflicts is told. Blocks are never ordered. So if two
// accesses race, the later one sees a word that says so: it stands for all accesses of the moment (one
// thread's, or reads of several), for all earlier ones of the block (which are ordered), and for other
// blocks' (which conflict whatever their thread was).
#pragma once

#include <algorithm>
#include <cstdint>

namespace evo::evaluators::virtual_device::warp::mark {

constexpr std::uint64_t thread_bits = 0x3ff;
constexpr std::uint64_t many = 1U << 10;          ///< several threads, at the moment
constexpr std::uint64_t written_now = 1U << 11;   ///< at the moment
constexpr std::uint64_t written = 1U << 12;       ///< ever, by the block, or by several
constexpr std::uint64_t copied = 1U << 13;        ///< a cp.async has read it, and may still be reading
constexpr std::uint64_t non_coherent = 1U << 14;  ///< ld.global.nc has read it: no write may be made at all
constexpr unsigned moment_at = 16, block_at = 32;
/// In place of a block. The last but one says that all writes were atomics.
constexpr std::uint64_t several = 0xffffffffULL << block_at;
constexpr std::uint64_t atomics = (0xfffffffeULL << block_at) | written;

/// Who accesses. Behind 65535 barriers moments are no longer told apart, which errs on the safe side.
[[nodiscard]] constexpr std::uint64_t own(std::uint64_t block, std::uint64_t moment, std::uint32_t thread) {
  return (block + 1) << block_at | std::min<std::uint64_t>(moment, 0xffff) << moment_at | thread;
}

struct Change {
  std::uint64_t mark;
  bool conflict;
};

[[nodiscard]] constexpr bool same_block(std::uint64_t a, std::uint64_t b) {
  return (a ^ b) >> block_at == 0;
}
/// Of marks of one block.
[[nodiscard]] constexpr bool same_moment(std::uint64_t a, std::uint64_t b) {
  return ((a ^ b) >> moment_at & 0xffff) == 0;
}
/// Was `before`, of the moment at hand, this one thread only?
[[nodiscard]] constexpr bool same_thread(std::uint64_t before, std::uint64_t own) {
  return ((before ^ own) & thread_bits) == 0 && (before & many) == 0;
}

/// A store. `merged`: of several lanes in one instruction, all of the same value, which is no conflict
/// between them.
[[nodiscard]] constexpr Change after_write(std::uint64_t before, std::uint64_t own, bool merged) {
  const std::uint64_t now = own | written | written_now | (merged ? many : 0);
  if (before == 0) return {now, false};
  if (same_block(before, own)) {
    const std::uint64_t lasting = before & (copied | non_coherent);
    const bool others = same_moment(before, own) && (merged || !same_thread(before, own));
    return {now | lasting, others || lasting != 0};
  }
  return {(before & written) != 0 ? several | written : now, true};
}

/// A load. `sort`: 0, copied or non_coherent.
[[nodiscard]] constexpr Change after_read(std::uint64_t before, std::uint64_t own, std::uint64_t sort) {
  if (before == 0) return {own | sort, false};
  if (!same_block(before, own)) {
    return (before & written) != 0 ? Change{before, true} : Change{several, false};
  }
  const bool not_coherent = ((before | sort) & non_coherent) != 0 && (before & written) != 0;
  if (!same_moment(before, own)) {
    return {own | (before & (written | copied | non_coherent)) | sort, not_coherent};
  }
  if (same_thread(before, own)) return {before | sort, not_coherent};
  return {before | many | sort, not_coherent || (before & written_now) != 0};
}

/// An atomic that keeps other blocks out: conflicts with all but its like.
[[nodiscard]] constexpr Change after_atomic(std::uint64_t before) {
  if (before == 0 || before == atomics) return {atomics, false};
  return {(before & written) != 0 ? several | written : atomics, true};
}

}  // namespace evo::evaluators::virtual_device::warp::mark
