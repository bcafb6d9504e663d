// Template hopper: a warpgroup that multiplies: its place in the rings, its products, and its turns among the other
// warpgroups. The template defines its genes before it includes this.
#pragma once

#include "evo_fragment.cuh"
#include "evo_wgmma_barriers.cuh"
#include "evo_wgmma_producer.cuh"
#include "evo_wgmma_softmax.cuh"

struct Consumer {
  const Producer& producer;
  int group, part;           // warpgroup of the block; which of the SPLIT_KV parts of the keys it takes
  int row_offset;            // of its first query in the block
  int warp, lane;            // of the block; of the warp
  int seq, causal;           // the kernel's
  float softmax_scale_log2;  // turns a product into an exponent of two
  bool issues_copies;        // this warp copies its part's tiles
  unsigned full;             // the part's mbarriers
  unsigned q_full;           // mbarrier of its Q; WARPGROUPS_M further: the one on which it releases Q
  unsigned q_tile;           // in shared memory
  unsigned long long q_desc, k_desc, v_desc;  // matrix descriptors

  // Of the work tile under way. The part has tile_count tiles; its rows see keys of tile_begin .. tile_end - 1.
  WorkTile work;
  int unit, first_row, row, tile_count, tile_begin, tile_end;
  int unmasked_tiles;  // of the sequence: of these all its rows see every key
  int tiles_before;    // tiles that the ring took for earlier work tiles

  // Of the block's first work tile. Warpgroups share their queries (SPLIT_KV) or their keys.
  __device__ __forceinline__ Consumer(const Producer& producer_in, const SharedStorage& storage,
                                      int causal_in, float scale, int group_in, int warp_in, int lane_in)
      : producer(producer_in),
        group(group_in),
        part(SPLIT_KV > 1 ? group : 0),
        row_offset(SPLIT_KV > 1 ? 0 : 64 * group),
        warp(warp_in),
        lane(lane_in),
        seq(producer.seq),
        causal(causal_in),
        softmax_scale_log2(scale * LOG2_E),
        issues_copies(CONSUMERS_COPY && (!USE_TMA || warp == 4 * part)),
        full(storage.barriers + 8 * part * RING_BARRIERS),
        q_full(storage.q_full + row_offset / 64 * 8),
        q_tile(storage.q_address + row_offset / 64 * Q_BYTES),
        tiles_before(0) {
    // K stands as n rows of k (its rows are 8-row groups apart), V as k rows of n.
    const unsigned k_tiles = storage.rings_address + part * RING_BYTES;
    q_desc = make_smem_descriptor<ROW_BYTES>(16) + smem_descriptor_address(q_tile);
    k_desc = make_smem_descriptor<ROW_BYTES>(16) + smem_descriptor_address(k_tiles);
    v_desc = make_smem_descriptor<ROW_BYTES>(KV_PANEL_BYTES) +
             smem_descriptor_address(k_tiles + STAGES * TILE_BYTES);
    start_work_tile(producer.work, 0);
  }

  __device__ __forceinline__ void start_work_tile(const WorkTile& next, int turn) {
    work = next;
    unit = turn;
    first_row = work.first_query + row_offset;
    row = first_row + 16 * (warp % 4) + lane / 4;  // and row + 8
    tile_count = (work.tiles - part + SPLIT_KV - 1) / SPLIT_KV;
    tile_begin = 0;
    tile_end = tile_count;
    if (SKIP_MASKED_TILES) {
      // At least one tile, also where the sequence ends before its rows.
      const int keys = first_row >= seq ? 1 : causal != 0 ? min(seq, first_row + 64) : seq;
      const int visible_tiles = (keys + BLOCK_N - 1) / BLOCK_N;
      if (KEY_ORDER == KEY_ORDER_backward) {
        tile_begin = tile_count - visible_tiles;
      } else {
        tile_end = visible_tiles;
      }
    }
    unmasked_tiles = (causal != 0 ? min(seq, first_row + 1) : seq) / BLOCK_N;
  }

  // -- The rings ---------------------------------------------------------------------------------------------------

  __device__ __forceinline__ int stage_of(int i) const { return (tiles_before + i) % STAGES; }
  __device__ __forceinline__ void wait_full(int barrier, int i) const {
    mbarrier_wait(full + 8 * barrier, (tiles_before + i) / STAGES & 1);
    if (!USE_TMA) fence_proxy_async();
  }
  __device__ __forceinline__ void wait_k(int i, int chunk) const {
    wait_full(stage_of(i) * QK_CHUNKS + chunk, i);
  }
  __device__ __forceinline__ void wait_v(int i) const { wait_full(FULL_V + stage_of(i), i); }

  // Waits for Q, and takes it into registers if it is to stay there.
  __device__ __forceinline__ void wait_q([[maybe_unused]] unsigned (&q)[Q_FRAGMENTS][4]) const {
    mbarrier_wait(q_full, unit & 1);
#if Q_SOURCE == Q_SOURCE_registers
#pragma unroll
    for (int step = 0; step < Q_FRAGMENTS; ++step)
      load_matrices(q[step], q_tile + swizzled_offset<64>(16 * (warp % 4) + lane % 16, 2 * step + lane / 16));
    // Who loads Q anew writes through another proxy, and an arrival on an mbarrier does not wait for loads that are
    // under way.
    if (QUERY_BLOCKS > 1) fence_proxy_async();
    __syncwarp();
    release_q();
#endif
  }
  // Q has been read from shared memory for the last time in this work tile.
  __device__ __forceinline__ void release_q() const {
    if (QUERY_BLOCKS > 1 && lane == 0) mbarrier_arrive(q_full + 8 * WARPGROUPS_M);
  }

  // Tile i of K or V has been read. It is released also where nobody waits for that, which costs less than to ask; but
  // blocks of a cluster may have left.
  __device__ __forceinline__ void release(Operand which, int i) const {
    if ((CLUSTER > 1 || CONSUMERS_COPY) && i + STAGES >= tile_count) return;
    const unsigned empty = full + 8 * (EMPTY + which * STAGES + stage_of(i));
    if (CLUSTER > 1) {
      if (lane < CLUSTER) mbarrier_arrive_cluster(empty, lane);
    } else if (lane == 0) {
      mbarrier_arrive(empty);
    }
    if (issues_copies) producer.load(which, part, i + STAGES);
  }
  // The same for K, and for Q with the work tile's last K.
  __device__ __forceinline__ void release_k(int i) const {
    release(K, i);
    if (Q_SOURCE == Q_SOURCE_shared && i + 1 == tile_end) release_q();
  }

  // A tile of which no row sees a key. All of it is waited for before it is released: else the parity of a later wait
  // would stand for the phase before.
  __device__ __forceinline__ void skip(int i) const {
#pragma unroll
    for (int chunk = 0; chunk < QK_CHUNKS; ++chunk) wait_k(i, chunk);
    // As where the tile is multiplied: without OVERLAP it is released before the turn, so that who awaits a turn holds
    // nothing that others wait for; with it behind, since the others hold theirs.
    if (!OVERLAP) release(K, i);
    if (i >= OVERLAP) {
      warp_scheduler_barrier_sync();
      warp_scheduler_barrier_arrive();
    }
    if (OVERLAP) release(K, i);
    wait_v(i);
    release(V, i);
  }

  // -- Turns -------------------------------------------------------------------------------------------------------

  // PINGPONG: warpgroups take turns at each tile, so that one's softmax runs beside another's products. With OVERLAP a
  // turn is to issue the products (but for a work tile's first), else to compute the softmax. Each warpgroup passes the
  // turn to the next; the first turn of all comes from the last warpgroup, and what is passed at the end is drained.
  __device__ __forceinline__ void warp_scheduler_barrier_sync() const {
    if (PINGPONG) named_barrier_sync(SCHEDULER_BARRIER + group, 256);
  }
  __device__ __forceinline__ void warp_scheduler_barrier_arrive() const {
    if (PINGPONG) named_barrier_arrive(SCHEDULER_BARRIER + (group + 1) % CONSUMERS, 256);
  }
  __device__ __forceinline__ static void warp_scheduler_barrier_init(int group) {
    if (PINGPONG && group + 1 == CONSUMERS) named_barrier_arrive(SCHEDULER_BARRIER, 256);
  }
  __device__ __forceinline__ void warp_scheduler_barrier_drain() const {
    // Where warpgroups share their keys each takes a turn at every tile, else one of them at each.
    const int turns = SPLIT_KV > 1 ? max(work.tiles, OVERLAP * CONSUMERS) : 0;
    if (group == turns % CONSUMERS) warp_scheduler_barrier_sync();
  }

  // -- The mask ----------------------------------------------------------------------------------------------------

  __device__ __forceinline__ int key_tile_of(int i) const {
    return key_tile(i * SPLIT_KV + part, work.tiles);
  }
  __device__ __forceinline__ bool needs_mask(int i) const {
    return key_tile_of(i) >= unmasked_tiles;
  }
  __device__ __forceinline__ void mask(float (&s)[BLOCK_N / 2], int i, int begin, int end) const {
    apply_mask(s, key_tile_of(i) * BLOCK_N, row, seq, causal, lane % 4, begin, end);
  }
  // What the products of tile i accumulate onto, where that is not nothing.
  __device__ __forceinline__ void init_accumulators(float (&s)[BLOCK_N / 2], int i) const {
    if (MASK_ACCUMULATORS && __builtin_expect(needs_mask(i), 0)) {
#pragma unroll
      for (int j = 0; j < BLOCK_N / 2; ++j) s[j] = 0.0f;
      mask(s, i, 0, BLOCK_N);
    }
  }

  // -- The products ------------------------------------------------------------------------------------------------

  // S = Q K^T of tile i. Each chunk is a wgmma group of its own, issued once its keys are there.
  __device__ __forceinline__ void issue_qk(float (&s)[BLOCK_N / 2],
                                           [[maybe_unused]] const unsigned (&q)[Q_FRAGMENTS][4],
                                           int i) const {
    const unsigned long long k_tile = k_desc + stage_of(i) * (TILE_BYTES / 16);
    const bool accumulate = MASK_ACCUMULATORS && needs_mask(i);
    warpgroup_fence_operand(s);
#pragma unroll
    for (int chunk = 0; chunk < QK_CHUNKS; ++chunk) {
      if (!OVERLAP) wait_k(i, chunk);
      warpgroup_arrive();
      auto& columns = *reinterpret_cast<float(*)[QK_KEYS / 2]>(s + chunk * QK_KEYS / 2);
#pragma unroll
      for (int step = 0; step < HEAD_DIM / 16; ++step) {
        const int panel = step * 16 / PANEL_COLUMNS;
        const int within = step * 32 % ROW_BYTES;
#if Q_SOURCE == Q_SOURCE_registers
        const unsigned* const a = q[step];
#else
        const unsigned long long a = q_desc + (panel * Q_PANEL_BYTES + within) / 16;
#endif
        gemm_qk(columns, a, k_tile + (panel * KV_PANEL_BYTES + chunk * QK_KEYS * ROW_BYTES + within) / 16,
                accumulate || step > 0);
      }
      warpgroup_commit_batch();
    }
  }

  // O += P V over the keys begin .. end - 1 of tile i, as one wgmma group.
  __device__ __forceinline__ void issue_pv(float (&o)[HEAD_DIM / 2], unsigned (&p)[BLOCK_N / 4], int i,
                                           int begin, int end) const {
    const unsigned long long v_tile = v_desc + stage_of(i) * (TILE_BYTES / 16);
    warpgroup_fence_operand(o);
    warpgroup_fence_operand(p, begin / 4, end / 4);
    warpgroup_arrive();
#pragma unroll
    for (int step = begin / 16; step < end / 16; ++step)
      gemm_pv(o, p + 4 * step, v_tile + step * 16 * ROW_BYTES / 16, 1);
    warpgroup_commit_batch();
  }
};
