// Forward attention on the tensor cores in the manner of FlashAttention-2: mma.m16n8k16, S and P in
// registers, K and V through a ring of shared-memory stages filled by cp.async.
//
// A block owns BLOCK_M queries and walks over tiles of BLOCK_N keys. Its NUM_WARPS warps form a grid: WARPS_M
// groups of rows, and KV_WARPS groups of keys, each of which computes its own slice of every tile with its
// own running maximum, sum and output; at the end the warps that share rows merge their results through
// shared memory. A slice is worked off in KEY_STEPS steps: S = Q K^T, softmax, O += P V.
//
// K of the i-th tile is read between SYNC_PROLOGUE or SYNC_K_READY and the next barrier, V after SYNC_V_READY
// (or with K where both are committed together). What makes a stage free for the next fetch depends on
// PREFETCH:
//   bottom       both are fetched at the end of an iteration, after SYNC_STAGE_FREE, STAGES tiles ahead;
//   top          both at its beginning, STAGES - 1 tiles ahead: the barrier that made this tile readable
//   proves that
//                the last one has been read;
//   interleaved  V likewise at the beginning, K once S is computed: each one's barrier frees the other.
#include "evo_fragment.cuh"
#include "evo_merge.cuh"
#include "evo_online_softmax.cuh"
#include "evo_probe.cuh"
#include "evo_store.cuh"
#include "evo_sync.cuh"
#include "evo_tile.cuh"

struct __half;  // 16 bits; without the arithmetic of cuda_fp16.h, which takes long to compile

constexpr int WARPS_M = NUM_WARPS / KV_WARPS;
constexpr int THREADS = NUM_WARPS * 32;
constexpr int M_TILES = BLOCK_M / (16 * WARPS_M);  // 16-row tiles of a warp
constexpr int WARP_ROWS = 16 * M_TILES;
constexpr int SLICE = BLOCK_N / KV_WARPS;  // keys of a tile that a warp computes
constexpr int STEP_N = SLICE / KEY_STEPS;  // keys of a softmax step
constexpr int N_TILES = STEP_N / 8;
constexpr int D_TILES = HEAD_DIM / 8;
constexpr int PART = D_TILES / KV_WARPS;  // column tiles of O that a warp writes

constexpr bool SPLIT_COMMITS = KV_COMMITS == KV_COMMITS_split;
constexpr bool TOP = PREFETCH == PREFETCH_top;
constexpr bool INTERLEAVED = PREFETCH == PREFETCH_interleaved;
constexpr bool AHEAD = OVERLAP == OVERLAP_next_scores && KEY_STEPS > 1;
constexpr bool GROUP_COPIES = COPY_WARPS == COPY_WARPS_group;
constexpr bool PAIRED = CAUSAL_ORDER == CAUSAL_ORDER_paired;
constexpr int ROW_PARTS = PAIRED ? 2 : 1;
constexpr int PART_ROWS = BLOCK_M / ROW_PARTS;

// Groups of copies that may be under way when a tile is needed: those issued after its own.
constexpr int PENDING_K = !SPLIT_COMMITS ? (TOP ? STAGES - 2 : STAGES - 1)
                          : INTERLEAVED  ? 2 * (STAGES - 1)
                                         : 2 * (TOP ? STAGES - 2 : STAGES - 1) + 1;
[[maybe_unused]] constexpr int PENDING_V = 2 * (STAGES - 1);

using Layout = TileLayout<HEAD_DIM, SMEM_LAYOUT == SMEM_LAYOUT_swizzle>;
constexpr int Q_BYTES = Q_SOURCE == Q_SOURCE_direct ? 0 : BLOCK_M * Layout::PITCH;
constexpr int STAGE_BYTES = BLOCK_N * Layout::PITCH;
constexpr int TILE_BYTES = Q_BYTES + 2 * STAGES * STAGE_BYTES;
[[maybe_unused]] constexpr int MERGE_OFFSET = MERGE_SPACE == MERGE_SPACE_own ? TILE_BYTES : 0;

using Scores = float[M_TILES][N_TILES][4];

// A 16 x 16 block of Q at a multiple of 16 rows and of 16 columns.
__device__ __forceinline__ void load_q(unsigned (&a)[4], const LaneAddress<Layout>& lane, unsigned tile,
                                       int row, int k_tile) {
  load_matrices(a, lane.at(tile, row, 2 * k_tile));
}

// Two neighbouring B fragments: of K^T for 16 keys and 16 columns, or of V.
__device__ __forceinline__ void load_k(unsigned (&b)[4], const LaneAddress<Layout>& lane, unsigned tile,
                                       int key, int k_tile) {
#if LDMATRIX == 4
  load_matrices(b, lane.at(tile, key, 2 * k_tile));
#else
  load_two_matrices<0>(b, lane.at(tile, key, 2 * k_tile));
  load_two_matrices<2>(b, lane.at(tile, key + 8, 2 * k_tile));
#endif
}
__device__ __forceinline__ void load_v(unsigned (&b)[4], const LaneAddress<Layout>& lane, unsigned tile,
                                       int key, int d_pair) {
#if LDMATRIX == 4
  load_matrices_transposed(b, lane.at(tile, key, 2 * d_pair));
#else
  load_two_matrices_transposed<0>(b, lane.at(tile, key, 2 * d_pair));
  load_two_matrices_transposed<2>(b, lane.at(tile, key, 2 * d_pair + 1));
#endif
}

// What a lane needs to read its fragments of the shared tiles.
struct Lanes {
  LaneAddress<Layout> q, k, v;
  __device__ __forceinline__ explicit Lanes(unsigned lane)
      : q(lane & 15, lane >> 4), k((lane & 7) + (lane >> 4) * 8, lane >> 3 & 1), v(lane & 15, lane >> 4) {
    if constexpr (LDMATRIX == 2) {  // lanes 16..31 are not asked, and repeat the others' addresses
      k = LaneAddress<Layout>(lane & 7, lane >> 3 & 1);
      v = LaneAddress<Layout>(lane & 15, 0);
    }
  }
};

using QFragments = unsigned[M_TILES][HEAD_DIM / 16][4];

// Q's fragments straight from global memory: rows first_row + ..., of which those past the end are zero.
__device__ __forceinline__ void load_q_direct(QFragments& q, const GlobalRows& source, int first_row,
                                              unsigned lane) {
#pragma unroll
  for (int m = 0; m < M_TILES; ++m) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int row = first_row + m * 16 + half * 8 + static_cast<int>(lane / 4);
      const unsigned short* head = source.data + (row < source.rows ? row : 0) * source.stride + lane % 4 * 2;
#pragma unroll
      for (int d = 0; d < HEAD_DIM / 8; ++d) {
        unsigned word = 0;
        if (row < source.rows) {
          if (source.aligned) {
            word = *reinterpret_cast<const unsigned*>(head + d * 8);
          } else {
            word = head[d * 8] | static_cast<unsigned>(head[d * 8 + 1]) << 16;
          }
        }
        q[m][d / 2][d % 2 * 2 + half] = word;
      }
    }
  }
}

// S = Q K^T, for STEP_N keys from `key` of the tile at `k_tile`; q_tile: the warp's rows, where Q stays in
// shared memory.
__device__ __forceinline__ void compute_scores(Scores& s, const QFragments& q, const Lanes& lanes,
                                               unsigned q_tile, unsigned k_tile, int key) {
  constexpr int K_STEPS = HEAD_DIM / 16, PAIRS = N_TILES / 2, TOTAL = K_STEPS * PAIRS;
#pragma unroll
  for (int m = 0; m < M_TILES; ++m) {
#pragma unroll
    for (int n = 0; n < N_TILES; ++n) {
#pragma unroll
      for (int e = 0; e < 4; ++e) s[m][n][e] = 0.0f;
    }
  }
  unsigned b[FRAGMENT_BUFFERS][4];
  if (FRAGMENT_BUFFERS == 2) load_k(b[0], lanes.k, k_tile, key, 0);
#pragma unroll
  for (int i = 0; i < TOTAL; ++i) {
    const int d = i / PAIRS, pair = i % PAIRS;
    const int fetch = FRAGMENT_BUFFERS == 2 ? i + 1 : i;
    if (fetch < TOTAL) {
      load_k(b[fetch % FRAGMENT_BUFFERS], lanes.k, k_tile, key + 16 * (fetch % PAIRS), fetch / PAIRS);
    }
    const auto& words = b[i % FRAGMENT_BUFFERS];
#pragma unroll
    for (int m = 0; m < M_TILES; ++m) {
#if Q_SOURCE == Q_SOURCE_shared
      unsigned a[4];
      load_matrices(a, lanes.q.at(q_tile, m * 16, 2 * d));
#else
      const auto& a = q[m][d];
#endif
      mma_16x8x16(s[m][2 * pair], a, words[0], words[1]);
      mma_16x8x16(s[m][2 * pair + 1], a, words[2], words[3]);
    }
  }
}

// Hides keys past last_key, and past the row if `causal`; `first_row` and `first_key` are the step's.
__device__ __forceinline__ void mask_scores(Scores& s, int first_row, int first_key, int last_key, int causal,
                                            unsigned lane) {
#pragma unroll
  for (int m = 0; m < M_TILES; ++m) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int row = first_row + m * 16 + half * 8 + static_cast<int>(lane / 4);
      const int limit = (causal ? min(row, last_key) : last_key) - first_key - static_cast<int>(lane % 4 * 2);
#pragma unroll
      for (int n = 0; n < N_TILES; ++n) {
        if (n * 8 > limit) s[m][n][half * 2] = minus_infinity();
        if (n * 8 + 1 > limit) s[m][n][half * 2 + 1] = minus_infinity();
      }
    }
  }
}

using Running = OnlineSoftmax<M_TILES, D_TILES, static_cast<Rescale>(RESCALE), ROW_SUM == ROW_SUM_mma,
                              EXP_VARIANT == EXP_VARIANT_exp2, POLYNOMIAL_EVERY>;

// O += P V for 16 keys from `key`.
__device__ __forceinline__ void accumulate(Running& running, const unsigned (&p)[M_TILES][4],
                                           const Lanes& lanes, unsigned v_tile, int key) {
  unsigned b[FRAGMENT_BUFFERS][4];
  if (FRAGMENT_BUFFERS == 2) load_v(b[0], lanes.v, v_tile, key, 0);
#pragma unroll
  for (int i = 0; i < D_TILES / 2; ++i) {
    const int fetch = FRAGMENT_BUFFERS == 2 ? i + 1 : i;
    if (fetch < D_TILES / 2) load_v(b[fetch % FRAGMENT_BUFFERS], lanes.v, v_tile, key, fetch);
    const auto& words = b[i % FRAGMENT_BUFFERS];
#pragma unroll
    for (int m = 0; m < M_TILES; ++m) {
      mma_16x8x16(running.out[m][2 * i], p[m], words[0], words[1]);
      mma_16x8x16(running.out[m][2 * i + 1], p[m], words[2], words[3]);
    }
  }
  running.add_sums(p);
}

// The softmax of a step, and O += P V. `show` is given the weights of 16 keys, the k-th of the step.
template <class Show>
__device__ __forceinline__ void absorb(Running& running, const Scores& s, const Lanes& lanes, unsigned v_tile,
                                       int key, float scale, const Show& show) {
  running.raise_maximum(s, scale);
#pragma unroll
  for (int k = 0; k < STEP_N / 16; ++k) {
    unsigned p[M_TILES][4];
    running.weigh(p, s, 2 * k, scale);
    show(p, k);
    accumulate(running, p, lanes, v_tile, key + 16 * k);
  }
}

#ifdef EVO_PROBE_ENABLED
// A row's maximum and sum are those of all keys up to the end of a tile: not so where groups of warps have
// keys of their own, tiles come from behind, or the maximum lags.
constexpr bool IN_ORDER = KV_WARPS == 1 && KV_ORDER == KV_ORDER_forward && RESCALE != RESCALE_lazy;

// visit(row, column, value) of what a lane holds of C fragments, and of P.
template <int TILES, class Visit>
__device__ __forceinline__ void visit_fragments(const float (&tiles)[M_TILES][TILES][4], unsigned lane,
                                                const Visit& visit) {
#pragma unroll
  for (int i = 0; i < M_TILES * TILES * 4; ++i) {
    const int m = i / (TILES * 4), n = i / 4 % TILES, e = i % 4;
    visit(m * 16 + e / 2 * 8 + static_cast<int>(lane / 4), n * 8 + static_cast<int>(lane % 4) * 2 + e % 2,
          tiles[m][n][e]);
  }
}
template <class Visit>
__device__ __forceinline__ void visit_weights(const unsigned (&p)[M_TILES][4], unsigned lane,
                                              const Visit& visit) {
#pragma unroll
  for (int i = 0; i < M_TILES * 8; ++i) {
    const int m = i / 8, word = i / 2 % 4, e = i % 2;
    const unsigned short bits = static_cast<unsigned short>(p[m][word] >> (16 * e));
    float value;
    asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));
    visit(m * 16 + word % 2 * 8 + static_cast<int>(lane / 4),
          word / 2 * 8 + static_cast<int>(lane % 4) * 2 + e, value);
  }
}
#endif

// Where the block and the warp stand.
struct Place {
  int row_group, key_group;  // of the warp
  int part_row[ROW_PARTS];   // first query of each of the block's PART_ROWS rows
  int end_key;               // no query of the block sees this key or a later one
  int warp_row;              // first query of the warp
  int last_key;              // the last key that any of the warp's queries sees; -1: there are none
  int common_key;            // the last key that all of them see

  __device__ __forceinline__ Place(int warp, int seq, int causal) {
#if WARP_ORDER == WARP_ORDER_keys_first
    key_group = warp % KV_WARPS, row_group = warp / KV_WARPS;
#else
    row_group = warp % WARPS_M, key_group = warp / WARPS_M;
#endif
#if GRID_ORDER == GRID_ORDER_rows_first
    const int index = static_cast<int>(blockIdx.x);
    [[maybe_unused]] const int blocks = static_cast<int>(gridDim.x);
#else
    const int index = static_cast<int>(blockIdx.y);
    [[maybe_unused]] const int blocks = static_cast<int>(gridDim.y);
#endif
#if CAUSAL_ORDER == CAUSAL_ORDER_paired
    // A short chunk of rows with a long one: all blocks have the same work.
    part_row[0] = index * PART_ROWS;
    part_row[ROW_PARTS - 1] = (2 * blocks - 1 - index) * PART_ROWS;
#elif CAUSAL_ORDER == CAUSAL_ORDER_heavy_first
    part_row[0] = (causal ? blocks - 1 - index : index) * BLOCK_M;
#else
    part_row[0] = index * BLOCK_M;
#endif
    const int last_row = part_row[ROW_PARTS - 1] + PART_ROWS - 1;
    end_key = causal ? min(seq, last_row + 1) : seq;
    const int in_block = row_group * WARP_ROWS;
    warp_row = in_block < PART_ROWS ? part_row[0] + in_block : part_row[ROW_PARTS - 1] + in_block - PART_ROWS;
    const int last = warp_row < seq ? seq - 1 : -1;
    last_key = causal ? min(last, warp_row + WARP_ROWS - 1) : last;
    common_key = causal ? min(last, warp_row) : last;
  }
};

extern "C" __global__ void __launch_bounds__(THREADS, MIN_BLOCKS)
    attention_forward_mma(const __half* __restrict__ q, const __half* __restrict__ k,
                          const __half* __restrict__ v, __half* __restrict__ o, long long batch_stride,
                          long long head_stride, long long row_stride, long long o_batch_stride,
                          long long o_head_stride, long long o_row_stride, int seq, int causal,
                          float scale EVO_PROBE_PARAMETER) {
  extern __shared__ __align__(128) unsigned char shared[];
  const unsigned thread = threadIdx.x, lane = thread % 32;
  const Place place(static_cast<int>(thread / 32), seq, causal);
#if GRID_ORDER == GRID_ORDER_rows_first
  const long long head = blockIdx.y;
  EVO_PROBE_SLICE(blockIdx.z * gridDim.y + blockIdx.y);
#else
  const long long head = blockIdx.x;
  EVO_PROBE_SLICE(blockIdx.z * gridDim.x + blockIdx.x);
#endif
  const long long batch = blockIdx.z;
  const auto rows_of = [&](const __half* data) {
    const auto* first =
        reinterpret_cast<const unsigned short*>(data) + batch * batch_stride + head * head_stride;
    const auto bits =
        reinterpret_cast<unsigned long long>(first) | static_cast<unsigned long long>(row_stride * 2);
    const bool aligned = bits % 16 == 0;
    return GlobalRows{first, row_stride, seq, aligned, aligned && row_stride == HEAD_DIM};
  };
  const GlobalRows q_rows = rows_of(q), k_rows = rows_of(k), v_rows = rows_of(v);

  const unsigned q_tile = shared_address(shared);
  const unsigned k_tiles = q_tile + Q_BYTES;
  const unsigned v_tiles = k_tiles + STAGES * STAGE_BYTES;
  const unsigned slice = place.key_group * (SLICE * Layout::PITCH);  // the warp's part of a stage
  const int tiles = (place.end_key + BLOCK_N - 1) / BLOCK_N;

  // Barriers of a group of warps: 1 .. KV_WARPS those with the same keys, then those with the same rows.
  constexpr int KEY_GROUP_THREADS = WARPS_M * 32;
  const int key_barrier = 1 + place.key_group;

  // The i-th tile's K or V into a stage.
  const auto fetch = [&](unsigned stages, const GlobalRows& source, int i, int stage) {
    if (i < tiles) {
      const int first_key = (KV_ORDER == KV_ORDER_backward ? tiles - 1 - i : i) * BLOCK_N;
      const unsigned target = stages + stage * STAGE_BYTES;
      if constexpr (GROUP_COPIES) {
        fetch_rows<Layout, SLICE, KEY_GROUP_THREADS, STATIC_STRIDE, COPY_CACHE == COPY_CACHE_ca>(
            target + slice, source, first_key + place.key_group * SLICE, place.row_group * 32 + lane);
      } else {
        fetch_rows<Layout, BLOCK_N, THREADS, STATIC_STRIDE, COPY_CACHE == COPY_CACHE_ca>(target, source,
                                                                                         first_key, thread);
      }
    }
  };
  [[maybe_unused]] const auto fetch_tile = [&](int i, int stage) {
    fetch(k_tiles, k_rows, i, stage);
    if (SPLIT_COMMITS) commit_copies();
    fetch(v_tiles, v_rows, i, stage);
    commit_copies();
  };

#if Q_SOURCE != Q_SOURCE_direct
#pragma unroll 1
  for (int part = 0; part < ROW_PARTS; ++part) {
    fetch_rows<Layout, PART_ROWS, THREADS, STATIC_STRIDE, COPY_CACHE == COPY_CACHE_ca>(
        q_tile + part * PART_ROWS * Layout::PITCH, q_rows,
        part == 0 ? place.part_row[0] : place.part_row[ROW_PARTS - 1], thread);
  }
#endif
#if PREFETCH == PREFETCH_interleaved
#pragma unroll 1
  for (int i = 0; i < STAGES; ++i) {
    fetch(k_tiles, k_rows, i, i);
    commit_copies();
    if (i < STAGES - 1) {
      fetch(v_tiles, v_rows, i, i);
      commit_copies();
    }
  }
#else
#pragma unroll 1
  for (int i = 0; i < (TOP ? STAGES - 1 : STAGES); ++i) fetch_tile(i, i);
#endif

  const Lanes lanes(lane);
  const unsigned warp_q_tile = q_tile + place.row_group * (WARP_ROWS * Layout::PITCH);
  QFragments q_fragments;
#if Q_SOURCE == Q_SOURCE_direct
  load_q_direct(q_fragments, q_rows, place.warp_row, lane);
#endif
  Running running;

  wait_copies<PENDING_K>();
  EVO_SYNC_GROUP(SYNC_PROLOGUE, key_barrier, KEY_GROUP_THREADS);
#if Q_SOURCE == Q_SOURCE_registers
#pragma unroll
  for (int m = 0; m < M_TILES; ++m) {
#pragma unroll
    for (int d = 0; d < HEAD_DIM / 16; ++d)
      load_matrices(q_fragments[m][d], lanes.q.at(warp_q_tile, m * 16, 2 * d));
  }
#endif

  int stage = 0;                                 // of tile i
  [[maybe_unused]] int last_stage = STAGES - 1;  // of tile i - 1, and of tile i + STAGES - 1
#pragma unroll 1
  for (int i = 0; i < tiles; ++i) {  // @key_tiles
#if PREFETCH == PREFETCH_top
    fetch_tile(i + STAGES - 1, last_stage);
#elif PREFETCH == PREFETCH_interleaved
    fetch(v_tiles, v_rows, i + STAGES - 1, last_stage);
    commit_copies();
#endif
    const int first_key =
        (KV_ORDER == KV_ORDER_backward ? tiles - 1 - i : i) * BLOCK_N + place.key_group * SLICE;
    const unsigned k_tile = k_tiles + stage * STAGE_BYTES + slice;
    const unsigned v_tile = v_tiles + stage * STAGE_BYTES + slice;
    const bool visible = first_key <= place.last_key;
    Scores s[AHEAD ? 2 : 1];
    const auto scores = [&](int step) {
      Scores& target = s[AHEAD ? step % 2 : 0];
      compute_scores(target, q_fragments, lanes, warp_q_tile, k_tile, step * STEP_N);
      const int first = first_key + step * STEP_N;
      if (MASK_MODE == MASK_MODE_always || first + STEP_N - 1 > place.common_key) {
        mask_scores(target, place.warp_row, first, seq - 1, causal, lane);
      }
#ifdef EVO_PROBE_ENABLED
      visit_fragments(target, lane, [&](int row, int column, float value) {
        EVO_PROBE(S, place.warp_row + row, first + column, value * scale);
      });
#endif
    };

    if (visible) scores(0);
#if KV_COMMITS == KV_COMMITS_split
    wait_copies<PENDING_V>();  // @wait_v
    EVO_SYNC_GROUP(SYNC_V_READY, key_barrier, KEY_GROUP_THREADS);
#endif
#if PREFETCH == PREFETCH_interleaved
    fetch(k_tiles, k_rows, i + STAGES, stage);
    commit_copies();
#endif
    if (visible) {
#pragma unroll
      for (int step = 0; step < KEY_STEPS; ++step) {
        if (AHEAD) {
          if (step + 1 < KEY_STEPS) scores(step + 1);
        } else if (step > 0) {
          if (first_key + step * STEP_N > place.last_key) break;
          scores(step);
        }
        absorb(running, s[AHEAD ? step % 2 : 0], lanes, v_tile, step * STEP_N, scale,
               [&]([[maybe_unused]] const unsigned(&p)[M_TILES][4], [[maybe_unused]] int k) {
#ifdef EVO_PROBE_ENABLED
                 visit_weights(p, lane, [&](int row, int column, float value) {
                   EVO_PROBE(P, KEY_STEPS == 1 && IN_ORDER ? place.warp_row + row : -1,
                             first_key + 16 * k + column, value);
                 });
#endif
               });
      }
#ifdef EVO_PROBE_ENABLED
#pragma unroll
      for (int m = 0; m < M_TILES; ++m) {
#pragma unroll
        for (int half = 0; half < 2; ++half) {
          const int row = IN_ORDER ? place.warp_row + m * 16 + half * 8 + static_cast<int>(lane / 4) : -1;
          const float total = running.row_sum(m, half);  // all lanes take part
          EVO_PROBE(M, lane % 4 == 0 ? row : -1, i, running.maximum[m][half] * scale);
          EVO_PROBE(L, lane % 4 == 0 ? row : -1, i, total);
        }
      }
      visit_fragments(running.out, lane, [&](int row, int column, float value) {
        EVO_PROBE(A, IN_ORDER ? place.warp_row + row : -1, i * HEAD_DIM + column, value);
      });
#endif
    }
#if PREFETCH == PREFETCH_bottom
    if (i + STAGES < tiles) {
      EVO_SYNC_GROUP(SYNC_STAGE_FREE, key_barrier, KEY_GROUP_THREADS);
      fetch_tile(i + STAGES, stage);
    } else {
      if (SPLIT_COMMITS) commit_copies();
      commit_copies();
    }
#endif
    last_stage = stage;
    stage = stage + 1 == STAGES ? 0 : stage + 1;
    if (i + 1 < tiles) {
      wait_copies<PENDING_K>();
      EVO_SYNC_GROUP(SYNC_K_READY, key_barrier, KEY_GROUP_THREADS);
    }
  }

  float result[M_TILES][PART][4];
#if KV_WARPS > 1
  const MergeSpace<M_TILES, PART, KV_WARPS, WARPS_M> merge(shared + MERGE_OFFSET, place.row_group);
#if MERGE_SPACE == MERGE_SPACE_tiles
  EVO_SYNC_GROUP(SYNC_TILES_READ, key_barrier, KEY_GROUP_THREADS);
#endif
  merge.leave(running, place.key_group, lane);
  EVO_SYNC_GROUP(SYNC_MERGE, 1 + KV_WARPS + place.row_group, KV_WARPS * 32);
  merge.gather(result, running, place.key_group, scale, lane);
#else
  normalise(result, running);
#endif

  auto* out = reinterpret_cast<unsigned short*>(o) + batch * o_batch_stride + head * o_head_stride;
  const auto out_bits =
      reinterpret_cast<unsigned long long>(out) | static_cast<unsigned long long>(o_row_stride * 2);
  const bool out_aligned = out_bits % 16 == 0;
#pragma unroll
  for (int m = 0; m < M_TILES; ++m) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int row = place.warp_row + m * 16 + half * 8 + static_cast<int>(lane / 4);
      unsigned short* target = out + row * o_row_stride + place.key_group * (PART * 8);
      unsigned words[PART];
#pragma unroll
      for (int n = 0; n < PART; ++n)
        words[n] = pack_halves(result[m][n][half * 2], result[m][n][half * 2 + 1]);
#if OUTPUT_STORE == OUTPUT_STORE_exchanged
      store_exchanged(target, words, lane % 4, out_aligned, row < seq);
#else
      if (row < seq) store_words(target, words, lane % 4, out_aligned);
#endif
    }
  }
}
