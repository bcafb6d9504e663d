// Template hopper: what a block works on, and how its tiles of Q, K and V come to shared memory. The template
// defines its genes before it includes this.
#pragma once

#include "evo_tma.cuh"
#include "evo_wgmma_sizes.cuh"

// What a block works on at a time, the same for all its threads.
struct Work {
  int first_query, head, batch, tiles;
};

// Blocks stand in the grid as (query blocks, heads, batches). A block takes up to QUERY_BLOCKS units of
// BLOCK_M queries (a cluster: of CLUSTER * BLOCK_M) of its head in turn, of which this is the `turn`-th;
// where there are no more, the work has no tiles. GROUP_HEADS heads at a time are walked together, the query
// block as the slower index; with HEAVY_FIRST the late units, which see most keys if causal, come first.
__device__ __forceinline__ Work find_work(int seq, int causal, int turn) {
  const int blocks = static_cast<int>(gridDim.x) / CLUSTER;  // of a head
  const int heads = static_cast<int>(gridDim.y * gridDim.z);
  int block = static_cast<int>(blockIdx.x) / CLUSTER;
  Work work;
  work.head = static_cast<int>(blockIdx.y);
  work.batch = static_cast<int>(blockIdx.z);
  if (GROUP_HEADS > 1) {
    int head = work.head + static_cast<int>(gridDim.y) * work.batch;
    const int index = block + blocks * head;
    const int first = index / (GROUP_HEADS * blocks) * GROUP_HEADS;
    const int width = min(GROUP_HEADS, heads - first);
    const int rest = index - first * blocks;
    block = rest / width;
    head = first + rest % width;
    work.batch = head / static_cast<int>(gridDim.y);
    work.head = head % static_cast<int>(gridDim.y);
  }
  int unit = block, units = blocks;
  if (QUERY_BLOCKS > 1) {
    // There and back over the units, so that blocks have about as many keys as each other if causal.
    unit = turn * blocks + (turn % 2 == 0 ? block : blocks - 1 - block);
    units = (seq + CLUSTER * BLOCK_M - 1) / (CLUSTER * BLOCK_M);
  }
  const bool exists = QUERY_BLOCKS == 1 || (turn < QUERY_BLOCKS && unit < units);
  if (QUERY_ORDER == QUERY_ORDER_heavy_first) unit = units - 1 - unit;
  work.first_query = (unit * CLUSTER + static_cast<int>(blockIdx.x) % CLUSTER) * BLOCK_M;
  const int end_query = (unit + 1) * CLUSTER * BLOCK_M;  // of the cluster: its blocks share their tiles
  const int keys = causal != 0 ? min(seq, end_query) : seq;
  work.tiles = exists ? (keys + BLOCK_N - 1) / BLOCK_N : 0;
  return work;
}

// Number in the sequence of the i-th tile that a block takes.
__device__ __forceinline__ int tile_at(int i, int tiles) {
  return KEY_ORDER == KEY_ORDER_backward ? tiles - 1 - i : i;
}

// The byte at which chunk `chunk` (8 halves) of a row stands in a tile of ROWS rows.
template <int ROWS>
__device__ __forceinline__ int chunk_place(int row, int chunk) {
  const int within = chunk % (COLUMNS / 8) ^ (ROW_BYTES == 128 ? row % 8 : row / 2 % 4);
  return chunk / (COLUMNS / 8) * (ROWS * ROW_BYTES) + row * ROW_BYTES + within * 16;
}

// Rows first .. first + ROWS - 1 of a head without the copy engine, by `threads` threads of which this is the
// `thread`-th; rows past the end become zeros. One element at a time, for rows that are not aligned.
template <int ROWS>
__device__ SLOW_PATH void copy_rows(unsigned char* tile, const __half* head, long long row_stride, int first,
                                    int seq, int thread, int threads) {
#pragma unroll 1  // the producer has few registers
  for (int index = thread; index < ROWS * HEAD_DIM; index += threads) {
    const int row = index / HEAD_DIM;
    const int column = index % HEAD_DIM;
    __half value = __ushort_as_half(0);
    if (first + row < seq) value = head[(first + row) * row_stride + column];
    *reinterpret_cast<__half*>(tile + chunk_place<ROWS>(row, column / 8) + column % 8 * 2) = value;
  }
  proxy_fence();
}

// The same by cp.async, 16 bytes at a time; `barrier` gets an arrival of this thread once its bytes are
// there.
template <int ROWS>
__device__ __forceinline__ void copy_rows_async(unsigned tile, const __half* head, long long row_stride,
                                                int first, int seq, int thread, int threads,
                                                unsigned barrier) {
#pragma unroll
  for (int base = 0; base < ROWS * HEAD_DIM / 8; base += threads) {
    const int index = base + thread;
    if (ROWS * HEAD_DIM / 8 % threads != 0 && index >= ROWS * HEAD_DIM / 8) break;
    const int row = index / (HEAD_DIM / 8);
    const int chunk = index % (HEAD_DIM / 8);
    const bool inside = first + row < seq;
    const __half* const source = head + (inside ? (first + row) * row_stride : 0) + chunk * 8;
    async_copy_16(tile + chunk_place<ROWS>(row, chunk), source, inside);
  }
  barrier_arrive_after_copies(barrier);
}

// What the threads that fetch tiles need; `rings` is where they go, as a pointer and as an address.
struct Producer {
  const TensorMap& k_map;
  const TensorMap& v_map;
  const __half* k;
  const __half* v;
  long long row_stride;
  unsigned char* rings;
  unsigned rings_address, barriers;
  int seq, thread;
  // Whether every row of Q, K and V starts at a multiple of 16 bytes: each array apart.
  bool q_aligned, k_aligned, v_aligned;
  unsigned rank;
  Work work;
  int before;  // a part's tiles of earlier units, which its ring has held

  // Tile `turn` of a part: of K (which = 0) or of V (which = 1).
  __device__ __forceinline__ void load(int which, int part, int turn) const {
#pragma unroll
    for (int chunk = 0; chunk < (which == 0 ? QK_CHUNKS : 1); ++chunk) load_chunk(which, chunk, part, turn);
  }

  // A chunk of such a tile: a tile of K has QK_CHUNKS, one of V is one. Chunks are taken in order.
  __device__ __forceinline__ void load_chunk(int which, int chunk, int part, int turn) const {
    const int place = before + turn;
    const int stage = place % STAGES;
    const unsigned of_part = barriers + 8 * part * RING_BARRIERS;
    const unsigned full = of_part + 8 * (which == 0 ? stage * QK_CHUNKS + chunk : FULL_V + stage);
    if (place >= STAGES && chunk == 0) {
      const unsigned empty = of_part + 8 * (EMPTY + which * STAGES + stage);
      const unsigned parity = (place / STAGES & 1) ^ 1;
      if (CLUSTER > 1) {
        barrier_wait_cluster(empty, parity);
      } else {
        barrier_wait(empty, parity);
      }
    }
    const int chunks = which == 0 ? QK_CHUNKS : 1;
    const int rows = BLOCK_N / chunks;
    const int offset = part * RING_BYTES + (which * STAGES + stage) * TILE_BYTES;
    const int first = tile_at(turn * SPLIT_KV + part, work.tiles) * BLOCK_N;
    const __half* const head = which == 0 ? k : v;
    if (__builtin_expect(!(which == 0 ? k_aligned : v_aligned), 0)) {
      if (chunk == 0) copy_rows<BLOCK_N>(rings + offset, head, row_stride, first, seq, thread, COPY_THREADS);
      if (BULK) __syncwarp();
      if (!BULK || thread == 0) barrier_arrive(full);
      return;
    }
    if (!BULK) {
      copy_rows_async<BLOCK_N>(rings_address + offset, head, row_stride, first, seq, thread, COPY_THREADS,
                               full);
      return;
    }
    if (thread != 0) return;
    barrier_expect(full, TILE_BYTES / chunks);
    const TensorMap& map = which == 0 ? k_map : v_map;
    const int slice = rows / CLUSTER;  // that one block of a cluster fetches for all
#pragma unroll
    for (int panel = 0; panel < PANELS; ++panel) {
      const unsigned target = rings_address + offset + panel * KV_PANEL_BYTES + chunk * rows * ROW_BYTES;
      if (CLUSTER > 1) {
        tma_load_multicast(target + rank * slice * ROW_BYTES, map, full, panel * COLUMNS,
                           first + chunk * rows + rank * slice, work.head, work.batch, (1u << CLUSTER) - 1);
      } else {
        tma_load(target, map, full, panel * COLUMNS, first + chunk * rows, work.head, work.batch);
      }
    }
  }

  // Tile `turn` of K or V of every part: with COPY_ORDER chunks a chunk of each in turn; with parts one part
  // after the other, so that the first one's softmax is ahead of the others'.
  __device__ __forceinline__ void load_turn(int which, int turn) const {
    const int chunks = which == 0 ? QK_CHUNKS : 1;
#pragma unroll
    for (int i = 0; i < chunks * SPLIT_KV; ++i) {
      const int part = COPY_ORDER == COPY_ORDER_parts ? i / chunks : i % SPLIT_KV;
      const int chunk = COPY_ORDER == COPY_ORDER_parts ? i % chunks : i / SPLIT_KV;
      if (turn * SPLIT_KV + part < work.tiles) load_chunk(which, chunk, part, turn);
    }
  }

  // Q of the 64 queries of warpgroup `group`, in turn `unit`. Each has a barrier of its own, and one behind
  // all of these on which its warps arrive once they have read it.
  __device__ __forceinline__ void load_queries(const TensorMap& q_map, const __half* q, unsigned char* target,
                                               unsigned q_full, int unit, int group) const {
    const int each = static_cast<int>(threadIdx.x) % Q_THREADS;
    const int first = work.first_query + 64 * group;
    const unsigned full = q_full + 8 * group;
    unsigned char* const rows = target + group * Q_BYTES;
    if (unit > 0) barrier_wait(full + 8 * WARPGROUPS_M, (unit & 1) ^ 1);
    if (__builtin_expect(!q_aligned, 0)) {
      copy_rows<64>(rows, q, row_stride, first, seq, each, Q_THREADS);
      if (BULK) __syncwarp();
      if (!BULK || each == 0) barrier_arrive(full);
      return;
    }
    if (!BULK) {
      copy_rows_async<64>(shared_address(rows), q, row_stride, first, seq, each, Q_THREADS, full);
      return;
    }
    if (each != 0) return;
    barrier_expect(full, Q_BYTES);
#pragma unroll
    for (int panel = 0; panel < PANELS; ++panel)
      tma_load(shared_address(rows) + panel * Q_PANEL_BYTES, q_map, full, panel * COLUMNS, first, work.head,
               work.batch);
  }
  __device__ __forceinline__ void load_q(const TensorMap& q_map, const __half* q, unsigned char* target,
                                         unsigned q_full, int unit) const {
#pragma unroll
    for (int group = 0; group < WARPGROUPS_M; ++group) load_queries(q_map, q, target, q_full, unit, group);
  }

  // All tiles of a unit: turn by turn K of every part, then V, which is behind by K_AHEAD turns. Q comes
  // after the first K, for which there is room earlier if the block has had another unit. started: both are
  // on their way.
  __device__ __forceinline__ void run(const TensorMap& q_map, const __half* q, unsigned char* target,
                                      unsigned q_full, int unit, bool started) const {
    const int turns = (work.tiles + SPLIT_KV - 1) / SPLIT_KV;
    for (int turn = 0; turn < turns + K_AHEAD; ++turn) {
      if (turn < turns && !(started && turn == 0)) load_turn(0, turn);
      if (!started && turn == 0) load_q(q_map, q, target, q_full, unit);
      if (turn >= K_AHEAD) load_turn(1, turn - K_AHEAD);
    }
  }
};
