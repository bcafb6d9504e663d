// Template hopper: where Q, the rings and their mbarriers are in shared memory, and who initialises the mbarriers. The
// template defines its genes before it includes this.
#pragma once

#include "evo_tma.cuh"
#include "evo_wgmma_traits.cuh"

// Q of each warpgroup, the parts' rings, O's rows, mbarriers of Q, mbarriers of the rings.
struct SharedStorage {
  unsigned char *q_tiles, *rings, *o_rows;
  unsigned q_address, rings_address;
  unsigned q_full;    // mbarriers of Q
  unsigned barriers;  // of the rings

  __device__ __forceinline__ explicit SharedStorage(unsigned char* shared)
      : q_tiles(shared),
        rings(shared + WARPGROUPS_M * Q_BYTES),
        o_rows(rings + SPLIT_KV * RING_BYTES),
        q_address(shared_address(shared)),
        rings_address(q_address + WARPGROUPS_M * Q_BYTES),
        q_full(rings_address + SPLIT_KV * RING_BYTES + O_BYTES),
        barriers(q_full + 8 * Q_BARRIERS) {}

  // Mbarrier i of a part's ring: all warps that read a stage release it; one thread fills it with TMA, else each that
  // copies.
  __device__ __forceinline__ void init_ring_barrier(int part, int i) const {
    mbarrier_init(barriers + 8 * (part * RING_BARRIERS + i), i >= EMPTY ? 4 * WARPGROUPS_M * CLUSTER
                                                             : USE_TMA  ? 1
                                                                        : COPY_THREADS);
  }

  // EARLY_LOADS: those of Q and of the first turn's K, by the thread that starts their copies.
  __device__ __forceinline__ void init_first_barriers() const {
#pragma unroll
    for (int group = 0; group < WARPGROUPS_M; ++group) mbarrier_init(q_full + 8 * group, 1);
#pragma unroll
    for (int part = 0; part < SPLIT_KV; ++part) {
#pragma unroll
      for (int chunk = 0; chunk < QK_CHUNKS; ++chunk) init_ring_barrier(part, chunk);
    }
    fence_mbarrier_init();
  }

  // EARLY_LOADS: the others, by a thread of each warp. An initialisation takes tens of cycles, one after the other
  // within a warp: so every warp does its share, but for the first of a part that copies for itself.
  __device__ __forceinline__ void init_other_barriers(int warp) const {
    constexpr int PART_WARPS = CONSUMER_WARPS / SPLIT_KV;
    if (warp < CONSUMER_WARPS && (!CONSUMERS_COPY || warp % PART_WARPS != 0)) {
      for (int i = QK_CHUNKS + warp % PART_WARPS - CONSUMERS_COPY; i < RING_BARRIERS;
           i += PART_WARPS - CONSUMERS_COPY)
        init_ring_barrier(warp / PART_WARPS, i);
      fence_mbarrier_init();
    }
  }

  // Without EARLY_LOADS: all, by a thread of each warp.
  __device__ __forceinline__ void init_all_barriers(int warp) const {
    if (warp < WARPGROUPS_M) mbarrier_init(q_full + 8 * warp, USE_TMA ? 1 : Q_THREADS);
#pragma unroll 1
    for (int i = warp; i < SPLIT_KV * RING_BARRIERS; i += WARPS)
      init_ring_barrier(i / RING_BARRIERS, i % RING_BARRIERS);
    fence_mbarrier_init();
  }

  // QUERY_BLOCKS > 1: on which a warpgroup's warps release Q.
  __device__ __forceinline__ void init_q_empty(int warp) const {
    mbarrier_init(q_full + 8 * (WARPGROUPS_M + warp), 4);
    fence_mbarrier_init();
  }
};
