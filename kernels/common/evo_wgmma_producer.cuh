// Template hopper: how tiles of Q, K and V come to shared memory. The template defines its genes before it includes
// this.
#pragma once

#include "evo_tma.cuh"
#include "evo_wgmma_scheduler.cuh"

// The byte offset of 8 halves, chunk `chunk` of a row, in a swizzled tile of ROWS rows.
template <int ROWS>
__device__ __forceinline__ int swizzled_offset(int row, int chunk) {
  constexpr int PANEL_CHUNKS = PANEL_COLUMNS / 8;
  const int within = chunk % PANEL_CHUNKS ^ (ROW_BYTES == 128 ? row % 8 : row / 2 % 4);
  return chunk / PANEL_CHUNKS * (ROWS * ROW_BYTES) + row * ROW_BYTES + within * 16;
}

// Copies rows first .. first + ROWS - 1 of a head element by element, for arrays whose rows are not aligned; rows
// past the end become zeros. By `threads` threads, of which this is the `thread`-th.
template <int ROWS>
__device__ SLOW_PATH void copy_rows(unsigned char* tile, const __half* head, long long row_stride, int first,
                                    int seq, int thread, int threads) {
#pragma unroll 1  // the producer has few registers
  for (int index = thread; index < ROWS * HEAD_DIM; index += threads) {
    const int row = index / HEAD_DIM;
    const int column = index % HEAD_DIM;
    __half value = __ushort_as_half(0);
    if (first + row < seq) value = head[(first + row) * row_stride + column];
    *reinterpret_cast<__half*>(tile + swizzled_offset<ROWS>(row, column / 8) + column % 8 * 2) = value;
  }
  fence_proxy_async();
}

// The same with cp.async, 16 bytes at a time. `barrier` gets an arrival of this thread once its bytes are there.
template <int ROWS>
__device__ __forceinline__ void cp_async_rows(unsigned tile, const __half* head, long long row_stride,
                                              int first, int seq, int thread, int threads, unsigned barrier) {
  constexpr int ROW_CHUNKS = HEAD_DIM / 8, CHUNKS = ROWS * HEAD_DIM / 8;
#pragma unroll
  for (int base = 0; base < CHUNKS; base += threads) {
    const int index = base + thread;
    if (CHUNKS % threads != 0 && index >= CHUNKS) break;
    const int row = index / ROW_CHUNKS;
    const int chunk = index % ROW_CHUNKS;
    const bool inside = first + row < seq;
    const __half* const source = head + (inside ? (first + row) * row_stride : 0) + chunk * 8;
    cp_async_16(tile + swizzled_offset<ROWS>(row, chunk), source, inside);
  }
  cp_async_mbarrier_arrive(barrier);
}

enum Operand { K, V };

// Fills the rings. The threads that copy call it together: COPY_THREADS of them for a part's tiles, Q_THREADS for Q.
struct Producer {
  const TensorMap& k_map;
  const TensorMap& v_map;
  const __half* k;
  const __half* v;
  long long row_stride;
  unsigned char* rings;
  unsigned rings_address, barriers;
  int seq, thread;
  // Whether every row of Q, K and V starts at a multiple of 16 bytes: of each array on its own.
  bool q_aligned, k_aligned, v_aligned;
  unsigned rank;  // in the cluster
  WorkTile work;
  int tiles_before;  // tiles that each ring took for earlier work tiles

  // Waits until the consumers have released a stage of K or V, then copies a part's `turn`-th tile there.
  __device__ __forceinline__ void load(Operand which, int part, int turn) const {
#pragma unroll
    for (int chunk = 0; chunk < (which == K ? QK_CHUNKS : 1); ++chunk) load_chunk(which, chunk, part, turn);
  }

  // A chunk of it: a tile of K has QK_CHUNKS, in order, one of V is one.
  __device__ __forceinline__ void load_chunk(Operand which, int chunk, int part, int turn) const {
    const int tile = tiles_before + turn;
    const int stage = tile % STAGES;
    const unsigned part_barriers = barriers + 8 * part * RING_BARRIERS;
    const unsigned full = part_barriers + 8 * (which == K ? stage * QK_CHUNKS + chunk : FULL_V + stage);
    if (tile >= STAGES && chunk == 0) {
      const unsigned empty = part_barriers + 8 * (EMPTY + which * STAGES + stage);
      const unsigned phase = (tile / STAGES & 1) ^ 1;
      if (CLUSTER > 1) {
        mbarrier_wait_cluster(empty, phase);
      } else {
        mbarrier_wait(empty, phase);
      }
    }
    const int chunks = which == K ? QK_CHUNKS : 1;
    const int rows = BLOCK_N / chunks;
    const int offset = part * RING_BYTES + (which * STAGES + stage) * TILE_BYTES;
    const int first_key = key_tile(turn * SPLIT_KV + part, work.tiles) * BLOCK_N;
    const __half* const head = which == K ? k : v;
    if (__builtin_expect(!(which == K ? k_aligned : v_aligned), 0)) {
      if (chunk == 0)
        copy_rows<BLOCK_N>(rings + offset, head, row_stride, first_key, seq, thread, COPY_THREADS);
      if (USE_TMA) __syncwarp();
      if (!USE_TMA || thread == 0) mbarrier_arrive(full);
      return;
    }
    if (!USE_TMA) {
      cp_async_rows<BLOCK_N>(rings_address + offset, head, row_stride, first_key, seq, thread, COPY_THREADS,
                             full);
      return;
    }
    if (thread != 0) return;
    mbarrier_arrive_expect_tx(full, TILE_BYTES / chunks);
    const TensorMap& map = which == K ? k_map : v_map;
    const int slice = rows / CLUSTER;  // rows that one block of a cluster fetches for all
#pragma unroll
    for (int panel = 0; panel < PANELS; ++panel) {
      const unsigned target = rings_address + offset + panel * KV_PANEL_BYTES + chunk * rows * ROW_BYTES;
      if (CLUSTER > 1) {
        tma_load_multicast(target + rank * slice * ROW_BYTES, map, full, panel * PANEL_COLUMNS,
                           first_key + chunk * rows + rank * slice, work.head, work.batch,
                           (1u << CLUSTER) - 1);
      } else {
        tma_load(target, map, full, panel * PANEL_COLUMNS, first_key + chunk * rows, work.head, work.batch);
      }
    }
  }

  // The `turn`-th tile of K or V of every part: with COPY_ORDER chunks one chunk of each part in turn; with parts one
  // part after the other, so that the first part's softmax is ahead of the others'.
  __device__ __forceinline__ void load_all_parts(Operand which, int turn) const {
    const int chunks = which == K ? QK_CHUNKS : 1;
#pragma unroll
    for (int i = 0; i < chunks * SPLIT_KV; ++i) {
      const int part = COPY_ORDER == COPY_ORDER_parts ? i / chunks : i % SPLIT_KV;
      const int chunk = COPY_ORDER == COPY_ORDER_parts ? i % chunks : i / SPLIT_KV;
      if (turn * SPLIT_KV + part < work.tiles) load_chunk(which, chunk, part, turn);
    }
  }

  // Q of the 64 queries of warpgroup `group`, for work tile `unit`. Each warpgroup has a full barrier, and one behind
  // all of those on which its warps arrive once they have read their Q.
  __device__ __forceinline__ void load_q_of(int group, const TensorMap& q_map, const __half* q,
                                            unsigned char* q_tiles, unsigned q_full, int unit) const {
    const int q_thread = static_cast<int>(threadIdx.x) % Q_THREADS;
    const int first_query = work.first_query + 64 * group;
    const unsigned full = q_full + 8 * group;
    unsigned char* const tile = q_tiles + group * Q_BYTES;
    if (unit > 0) mbarrier_wait(full + 8 * WARPGROUPS_M, (unit & 1) ^ 1);
    if (__builtin_expect(!q_aligned, 0)) {
      copy_rows<64>(tile, q, row_stride, first_query, seq, q_thread, Q_THREADS);
      if (USE_TMA) __syncwarp();
      if (!USE_TMA || q_thread == 0) mbarrier_arrive(full);
      return;
    }
    if (!USE_TMA) {
      cp_async_rows<64>(shared_address(tile), q, row_stride, first_query, seq, q_thread, Q_THREADS, full);
      return;
    }
    if (q_thread != 0) return;
    mbarrier_arrive_expect_tx(full, Q_BYTES);
#pragma unroll
    for (int panel = 0; panel < PANELS; ++panel)
      tma_load(shared_address(tile) + panel * Q_PANEL_BYTES, q_map, full, panel * PANEL_COLUMNS, first_query,
               work.head, work.batch);
  }
  __device__ __forceinline__ void load_q(const TensorMap& q_map, const __half* q, unsigned char* q_tiles,
                                         unsigned q_full, int unit) const {
#pragma unroll
    for (int group = 0; group < WARPGROUPS_M; ++group) load_q_of(group, q_map, q, q_tiles, q_full, unit);
  }

  // All tiles of a work tile: turn by turn K of every part, then V, which follows K_AHEAD turns later. Q comes after
  // the first K: where the block had another work tile, there is room for K earlier. first_loads_issued: the first K
  // and Q are on their way.
  __device__ __forceinline__ void load_work_tile(const TensorMap& q_map, const __half* q,
                                                 unsigned char* q_tiles, unsigned q_full, int unit,
                                                 bool first_loads_issued) const {
    const int turns = (work.tiles + SPLIT_KV - 1) / SPLIT_KV;
    for (int turn = 0; turn < turns + K_AHEAD; ++turn) {
      if (turn < turns && !(first_loads_issued && turn == 0)) load_all_parts(K, turn);
      if (!first_loads_issued && turn == 0) load_q(q_map, q, q_tiles, q_full, unit);
      if (turn >= K_AHEAD) load_all_parts(V, turn - K_AHEAD);
    }
  }
};
