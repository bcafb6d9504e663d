// Template hopper: what a warpgroup that multiplies keeps, and its dealings with the rings, with the products
// and with the other warpgroups. The template defines its genes before it includes this.
#pragma once

#include "evo_fragment.cuh"
#include "evo_tile_loads.cuh"
#include "evo_wgmma_softmax.cuh"

struct Consumer {
  const Producer& producer;
  int group, part, rows;  // warpgroup; its share of the keys; its first row in the block
  int warp, lane;
  int seq, causal;
  float factor;     // turns a product into a power of two
  bool fetches;     // this warp copies its part's tiles
  unsigned full;    // the part's barriers
  unsigned q_full;  // this warpgroup's of Q; behind those of all is that on which it releases Q
  unsigned q_tile;  // Q's place in shared memory
  unsigned long long q_operand, k_operand, v_operand;  // descriptors

  // Of the unit under way: tiles begin .. end - 1 of the part's `count` are those of which its rows see a
  // key.
  Work work;
  int unit, first_row, row, count, begin, end;
  int clear;   // the sequence's tiles of which all its rows see every key
  int before;  // the part's tiles of earlier units

  // Goes on to a unit of the block, `turn`-th of them.
  __device__ __forceinline__ void enter(const Work& found, int turn) {
    work = found;
    unit = turn;
    first_row = work.first_query + rows;
    row = first_row + 16 * (warp % 4) + lane / 4;  // and row + 8
    count = (work.tiles - part + SPLIT_KV - 1) / SPLIT_KV;
    begin = 0;
    end = count;
    if (SKIPS) {
      // A warpgroup has a tile at least, also where the sequence ends before its rows.
      const int keys = first_row >= seq ? 1 : causal != 0 ? min(seq, first_row + 64) : seq;
      const int seen = (keys + BLOCK_N - 1) / BLOCK_N;
      if (KEY_ORDER == KEY_ORDER_backward) {
        begin = count - seen;
      } else {
        end = seen;
      }
    }
    clear = (causal != 0 ? min(seq, first_row + 1) : seq) / BLOCK_N;
  }

  __device__ __forceinline__ int slot_of(int i) const { return (before + i) % STAGES; }
  __device__ __forceinline__ void wait_full(int barrier, int i) const {
    barrier_wait(full + 8 * barrier, (before + i) / STAGES & 1);
    if (!BULK) proxy_fence();
  }
  __device__ __forceinline__ void wait_k(int i, int chunk) const {
    wait_full(slot_of(i) * QK_CHUNKS + chunk, i);
  }
  __device__ __forceinline__ void wait_v(int i) const { wait_full(FULL_V + slot_of(i), i); }

  // Waits for Q, and takes it into registers if it stays there.
  __device__ __forceinline__ void take_q([[maybe_unused]] unsigned (&q)[Q_STEPS][4]) const {
    barrier_wait(q_full, unit & 1);
#if Q_SOURCE == Q_SOURCE_registers
#pragma unroll
    for (int step = 0; step < Q_STEPS; ++step)
      load_matrices(q[step], q_tile + chunk_place<64>(16 * (warp % 4) + lane % 16, 2 * step + lane / 16));
    __syncwarp();
    release_q();
#endif
  }
  // Q has been read from shared memory, for the last time in this unit.
  __device__ __forceinline__ void release_q() const {
    if (QUERY_BLOCKS > 1 && lane == 0) barrier_arrive(q_full + 8 * WARPGROUPS_M);
  }

  // Tile i of K (which = 0) or of V (1) has been read. Its slot is released also where nobody waits for that,
  // which takes less than to ask; but blocks of a cluster may have left.
  __device__ __forceinline__ void release(int which, int i) const {
    if ((CLUSTER > 1 || SELF) && i + STAGES >= count) return;
    const unsigned empty = full + 8 * (EMPTY + which * STAGES + slot_of(i));
    if (CLUSTER > 1) {
      if (lane < CLUSTER) barrier_arrive_remote(empty, lane);
    } else if (lane == 0) {
      barrier_arrive(empty);
    }
    if (fetches) producer.load(which, part, i + STAGES);
  }
  // The same for K, with which Q has been read if that stays in shared memory.
  __device__ __forceinline__ void release_k(int i) const {
    release(0, i);
    if (Q_SOURCE == Q_SOURCE_shared && i + 1 == end) release_q();
  }

  // Warpgroups take turns at each tile: at issuing their products if OVERLAP (but for a unit's first tile),
  // else at the softmax, so that one's softmax runs beside another's products. Barrier 2 + w is warpgroup w's
  // turn, which its predecessor gives it: the first of all turns the last warpgroup, and the turn that is
  // given at the end is taken for nothing.
  __device__ __forceinline__ void take_turn() const {
    if (PINGPONG) named_sync(2 + group, 256);
  }
  __device__ __forceinline__ void pass_turn() const {
    if (PINGPONG) named_arrive(2 + (group + 1) % CONSUMERS, 256);
  }
  __device__ __forceinline__ static void begin_turns(int group) {
    if (PINGPONG && group + 1 == CONSUMERS) named_arrive(2, 256);
  }
  __device__ __forceinline__ void end_turns() const {
    // Where warpgroups share their keys each takes a turn at every tile, else one of them at each.
    const int turns = SPLIT_KV > 1 ? max(work.tiles, OVERLAP * CONSUMERS) : 0;
    if (group == turns % CONSUMERS) take_turn();
  }

  // A tile of which no row sees a key: whoever releases it has waited for all of it, and else the parity of a
  // later wait would stand for the phase before.
  __device__ __forceinline__ void skip(int i) {
#pragma unroll
    for (int chunk = 0; chunk < QK_CHUNKS; ++chunk) wait_k(i, chunk);
    if (i >= OVERLAP) {
      take_turn();
      pass_turn();
    }
    release(0, i);
    wait_v(i);
    release(1, i);
  }

  __device__ __forceinline__ int first_key_of(int i) const {
    return tile_at(i * SPLIT_KV + part, work.tiles) * BLOCK_N;
  }
  __device__ __forceinline__ bool is_masked(int i) const {
    return tile_at(i * SPLIT_KV + part, work.tiles) >= clear;
  }

  // Tile i's products start from 0 and minus infinity, if MASK_FIRST and it has both.
  __device__ __forceinline__ void start_scores(float (&s)[BLOCK_N / 2], int i) const {
    if (MASK_FIRST && __builtin_expect(is_masked(i), 0)) {
#pragma unroll
      for (int j = 0; j < BLOCK_N / 2; ++j) s[j] = 0.0f;
      mask(s, first_key_of(i), row, seq, causal, lane % 4, 0, BLOCK_N);
    }
  }

  // Each chunk is a group of its own, which starts once its keys are there.
  __device__ __forceinline__ void issue_q_k(float (&s)[BLOCK_N / 2],
                                            [[maybe_unused]] const unsigned (&q)[Q_STEPS][4], int i) const {
    const unsigned long long tile = k_operand + slot_of(i) * (TILE_BYTES / 16);
    const bool is_started = MASK_FIRST && is_masked(i);
    wgmma_hold(s);
#pragma unroll
    for (int chunk = 0; chunk < QK_CHUNKS; ++chunk) {
      if (!OVERLAP) wait_k(i, chunk);
      wgmma_fence();
      auto& columns = *reinterpret_cast<float(*)[K_CHUNK / 2]>(s + chunk * K_CHUNK / 2);
#pragma unroll
      for (int step = 0; step < HEAD_DIM / 16; ++step) {
        const int panel = step * 16 / COLUMNS;
        const int within = step * 32 % ROW_BYTES;
#if Q_SOURCE == Q_SOURCE_registers
        const unsigned* const a = q[step];
#else
        const unsigned long long a = q_operand + (panel * Q_PANEL_BYTES + within) / 16;
#endif
        multiply_q_k(columns, a, tile + (panel * KV_PANEL_BYTES + chunk * K_CHUNK * ROW_BYTES + within) / 16,
                     is_started || step > 0);
      }
      wgmma_commit();
    }
  }

  // P of the keys from .. to - 1 of a tile by their V.
  __device__ __forceinline__ void issue_p_v(float (&output)[HEAD_DIM / 2], unsigned (&p)[BLOCK_N / 4], int i,
                                            int from, int to) const {
    const unsigned long long tile = v_operand + slot_of(i) * (TILE_BYTES / 16);
    wgmma_hold(output);
    wgmma_hold(p, from / 4, to / 4);
    wgmma_fence();
#pragma unroll
    for (int step = from / 16; step < to / 16; ++step)
      multiply_p_v(output, p + 4 * step, tile + step * 16 * ROW_BYTES / 16, 1);
    wgmma_commit();
  }
};
