// The steps of the machine, by what they execute. alu_* and memory_* exist twice: for any x86-64, and for
// AVX2 with FMA and F16C; control and warp operations once.
#pragma once

#include <cstdint>

#include "evaluators/devices/virtual/warp/code.hpp"

namespace evo::evaluators::virtual_device::warp {

/// Null when no step of its own exists: then `scalar_step`.
using SelectAlu = Handler (*)(const Instruction& instruction, bool checked);
/// ld and st. d or b is the value (vectors: Wide), a the base, offset the offset; loads: c, if not 0, asks
/// for sign extension and masks what the register keeps; pc is 1 when the base of a small space has 64 bits
/// (global and generic ones always do). Null for a type or vector that does not exist.
using SelectMemory = Handler (*)(const Instruction& instruction, bool checked);

/// Vector steps of what has no operation struct. Packing: d, a, b with a low; unpacking: d low, b high, a the
/// source; logic3: offset is the table.
enum class SpecialStep : std::uint8_t { pack_halves, unpack_halves, pack_words, unpack_words, logic3 };
using SelectSpecial = Handler (*)(SpecialStep which);
[[nodiscard]] Handler portable_special(SpecialStep which);
[[nodiscard]] Handler avx2_special(SpecialStep which);

[[nodiscard]] Handler portable_alu(const Instruction& instruction, bool checked);
[[nodiscard]] Handler avx2_alu(const Instruction& instruction, bool checked);
[[nodiscard]] Handler portable_memory(const Instruction& instruction, bool checked);
[[nodiscard]] Handler avx2_memory(const Instruction& instruction, bool checked);

// arithmetic.cpp: any instruction that has a scalar function, lane by lane; operands in Wide.
const Op* scalar_step(Warp& warp, const Op* op);
const Op* pack_step(Warp& warp, const Op* op);
const Op* unpack_step(Warp& warp, const Op* op);
/// d = a resized between lane classes: c bit 0: d has 8 bytes; bit 1: sign-extends; bits 8..: source width in
/// bits.
const Op* resize_step(Warp& warp, const Op* op);
const Op* not_predicate_step(Warp& warp, const Op* op);
/// d = offset added to a, 8 bytes a lane: cvta.
const Op* address_step(Warp& warp, const Op* op);
const Op* isspacep_step(Warp& warp, const Op* op);
/// Refreshes the clock's slot d (c: bytes a lane).
const Op* clock_step(Warp& warp, const Op* op);

// control.cpp
const Op* enter_step(Warp& warp, const Op* op);  ///< a basic block: extra; a: its length
/// A basic block from which no path leads to the end of a thread: the launch hangs.
const Op* endless_step(Warp& warp, const Op* op);
/// In front of an instruction that may wait for another thread: after some of them others get a turn.
const Op* poll_step(Warp& warp, const Op* op);
/// In front of a strong access to global memory: other blocks may get a turn.
const Op* give_way_step(Warp& warp, const Op* op);
/// In front of one to shared memory: other warps may.
const Op* change_warps_step(Warp& warp, const Op* op);
// late_steps.cpp: in front of a strong store, in front of (c: it may be early) and behind a strong load, in
// front of an operation that releases, at a fence, in front of an atomic operation that is never late, and
// behind one that acquires.
const Op* late_store_step(Warp& warp, const Op* op);
const Op* hide_late_step(Warp& warp, const Op* op);
const Op* show_late_step(Warp& warp, const Op* op);
const Op* settle_step(Warp& warp, const Op* op);
const Op* fence_step(Warp& warp, const Op* op);
const Op* settle_at_step(Warp& warp, const Op* op);
const Op* acquire_step(Warp& warp, const Op* op);
/// The lanes are at a barrier, of their block or warp.
void note_meeting(Warp& warp, std::uint32_t which);
const Op* guarded_step(
    Warp& warp, const Op* op);  ///< runs the next `extra` steps for the lanes of predicate a; c: inverted
const Op* branch_step(Warp& warp, const Op* op);     ///< to op index extra
const Op* branch_if_step(Warp& warp, const Op* op);  ///< guard a, c: inverted
const Op* branch_table_step(Warp& warp, const Op* op);
const Op* exit_step(Warp& warp, const Op* op);
const Op* trap_step(Warp& warp, const Op* op);
const Op* assert_step(Warp& warp, const Op* op);
const Op* unsupported_step(Warp& warp, const Op* op);
const Op* nothing_step(Warp& warp, const Op* op);

// barrier.cpp
const Op* barrier_step(Warp& warp, const Op* op);
const Op* barrier_arrive_step(Warp& warp, const Op* op);
const Op* warp_barrier_step(Warp& warp, const Op* op);

// mbarrier.cpp: for unchecked runs; the exact machine checks programs that have them.
const Op* mbarrier_step(Warp& warp, const Op* op);

/// A copy that counts on the mbarrier has brought so many bytes.
void complete_bytes(Warp& warp, const Op* op, unsigned lane, std::uint64_t mbarrier, std::uint32_t bytes);

// bulk_copy.cpp: as those.
const Op* bulk_copy_step(Warp& warp, const Op* op);

// textures.cpp: operands in Wide, those of the instruction.
const Op* texture_step(Warp& warp, const Op* op);
const Op* surface_step(Warp& warp, const Op* op);

// warp_operations.cpp
const Op* shuffle_step(Warp& warp, const Op* op);
const Op* vote_step(Warp& warp, const Op* op);
const Op* match_step(Warp& warp, const Op* op);
const Op* redux_step(Warp& warp, const Op* op);
const Op* elect_step(Warp& warp, const Op* op);
const Op* activemask_step(Warp& warp, const Op* op);

// atomics.cpp
const Op* atomic_step(Warp& warp, const Op* op);

// async_copy.cpp
/// wait_group: c groups may stay in flight; wait_all: this.
constexpr std::uint32_t async_wait_for_all = 0xffffffffU;
const Op* async_copy_step(Warp& warp, const Op* op);
const Op* async_commit_step(Warp& warp, const Op* op);
const Op* async_wait_step(Warp& warp, const Op* op);
/// All copies that the running lanes have issued.
void land_copies(Warp& warp);

}  // namespace evo::evaluators::virtual_device::warp
