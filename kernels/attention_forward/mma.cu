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
//                proves that the last one has been read;
//   interleaved  V likewise at the beginning, K once S is computed: each one's barrier frees the other.
struct __half;  // 16 bits; without the arithmetic of cuda_fp16.h, which takes long to compile

#include "evo_merge.cuh"
#include "evo_mma_block.cuh"
#include "evo_mma_gemm.cuh"
#include "evo_mma_traits.cuh"
#include "evo_probe.cuh"
#include "evo_store.cuh"
#include "evo_sync.cuh"

// The rings of K and V in shared memory, and the copies into their stages by cp.async.
struct KvPipeline {
  const GlobalRows &k_rows, &v_rows;
  unsigned k_stages, v_stages;  // shared-memory addresses
  int tiles;
  int row_group, key_group;  // of the warp
  unsigned thread, lane, slice;

  // The i-th tile's K or V into a stage; nothing past the last tile.
  __device__ __forceinline__ void fetch(unsigned stages, const GlobalRows& source, int i, int stage) const {
    if (i < tiles) {
      const int first_key = (BACKWARD ? tiles - 1 - i : i) * BLOCK_N;
      const unsigned target = stages + stage * STAGE_BYTES;
      if constexpr (GROUP_COPIES) {
        fetch_rows<Layout, SLICE, KEY_GROUP_THREADS, STATIC_STRIDE, CACHED_COPIES>(
            target + slice, source, first_key + key_group * SLICE, row_group * 32 + lane);
      } else {
        fetch_rows<Layout, BLOCK_N, THREADS, STATIC_STRIDE, CACHED_COPIES>(target, source, first_key, thread);
      }
    }
  }
  __device__ __forceinline__ void fetch_k(int i, int stage) const {
    fetch(k_stages, k_rows, i, stage);
    commit_copies();
  }
  __device__ __forceinline__ void fetch_v(int i, int stage) const {
    fetch(v_stages, v_rows, i, stage);
    commit_copies();
  }
  __device__ __forceinline__ void fetch_tile(int i, int stage) const {
    fetch(k_stages, k_rows, i, stage);
    if (SPLIT_COMMITS) commit_copies();
    fetch_v(i, stage);
  }

  // The first tiles, before the mainloop.
  __device__ __forceinline__ void fill() const {
    if constexpr (INTERLEAVED) {
#pragma unroll 1
      for (int i = 0; i < STAGES; ++i) {
        fetch_k(i, i);
        if (i < STAGES - 1) fetch_v(i, i);
      }
    } else {
#pragma unroll 1
      for (int i = 0; i < (TOP ? STAGES - 1 : STAGES); ++i) fetch_tile(i, i);
    }
  }
};

// The block's rows of Q into shared memory.
__device__ __forceinline__ void fetch_q(unsigned q_tile, const GlobalRows& q_rows, const BlockInfo& block,
                                        unsigned thread) {
#pragma unroll 1
  for (int part = 0; part < ROW_PARTS; ++part) {
    fetch_rows<Layout, PART_ROWS, THREADS, STATIC_STRIDE, CACHED_COPIES>(
        q_tile + part * PART_ROWS * Layout::PITCH, q_rows,
        part == 0 ? block.part_row[0] : block.part_row[ROW_PARTS - 1], thread);
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

// A warp's side of the mainloop: its rows of Q, and the softmax over its slice of each tile of keys.
struct Consumer {
  const BlockInfo& block;
  const FragmentAddresses& addresses;
  const QFragments& q;
  unsigned q_tile;  // the warp's rows, where Q stays in shared memory
  int seq, causal;
  float scale;
  unsigned lane;

  // S of the `step`-th step of a slice that begins at first_key.
  __device__ __forceinline__ void scores(Scores& s, unsigned k_tile, int first_key,
                                         int step EVO_PROBE_FORWARDED) const {
    gemm_qk(s, q, addresses, q_tile, k_tile, step * STEP_N);
    const int first = first_key + step * STEP_N;
    if (MASK_MODE == MASK_MODE_always || first + STEP_N - 1 > block.common_key) {
      mask_scores(s, block.warp_row, first, seq - 1, causal, lane);
    }
#ifdef EVO_PROBE_ENABLED
    visit_fragments(s, lane, [&](int row, int column, float value) {
      EVO_PROBE(S, block.warp_row + row, first + column, value * scale);
    });
#endif
  }

  // The softmax of a step, and O += P V.
  __device__ __forceinline__ void softmax_pv(Softmax& softmax, const Scores& s, unsigned v_tile,
                                             int first_key, int step EVO_PROBE_FORWARDED) const {
    const int key = step * STEP_N;
    softmax.raise_maximum(s, scale);
#pragma unroll
    for (int k = 0; k < STEP_N / 16; ++k) {
      unsigned p[M_TILES][4];
      softmax.weigh(p, s, 2 * k, scale);
#ifdef EVO_PROBE_ENABLED
      visit_weights(p, lane, [&](int row, int column, float value) {
        EVO_PROBE(P, KEY_STEPS == 1 && IN_ORDER ? block.warp_row + row : -1, first_key + 16 * k + column,
                  value);
      });
#endif
      gemm_pv(softmax, p, addresses, v_tile, key + 16 * k);
    }
  }

  // Softmax and O += P V of a slice's steps; S of the first one is in s[0].
  __device__ __forceinline__ void slice(Softmax& softmax, Scores (&s)[AHEAD ? 2 : 1], unsigned k_tile,
                                        unsigned v_tile, int first_key EVO_PROBE_FORWARDED) const {
#pragma unroll
    for (int step = 0; step < KEY_STEPS; ++step) {
      if (AHEAD) {
        if (step + 1 < KEY_STEPS) scores(s[(step + 1) % 2], k_tile, first_key, step + 1 EVO_PROBE_FORWARD);
      } else if (step > 0) {
        if (first_key + step * STEP_N > block.last_key) break;
        scores(s[0], k_tile, first_key, step EVO_PROBE_FORWARD);
      }
      softmax_pv(softmax, s[AHEAD ? step % 2 : 0], v_tile, first_key, step EVO_PROBE_FORWARD);
    }
  }

#ifdef EVO_PROBE_ENABLED
  // Maxima, sums and O behind the i-th tile.
  __device__ __forceinline__ void show(const Softmax& softmax, int i EVO_PROBE_FORWARDED) const {
#pragma unroll
    for (int m = 0; m < M_TILES; ++m) {
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const int row = IN_ORDER ? block.warp_row + m * 16 + half * 8 + static_cast<int>(lane / 4) : -1;
        const float total = softmax.row_sum(m, half);  // all lanes take part
        EVO_PROBE(M, lane % 4 == 0 ? row : -1, i, softmax.maximum[m][half] * scale);
        EVO_PROBE(L, lane % 4 == 0 ? row : -1, i, total);
      }
    }
    visit_fragments(softmax.out, lane, [&](int row, int column, float value) {
      EVO_PROBE(A, IN_ORDER ? block.warp_row + row : -1, i * HEAD_DIM + column, value);
    });
  }
#endif
};

// The warp's columns of O, merged over the groups of keys and divided by the row sums.
__device__ __forceinline__ void finalize(float (&result)[M_TILES][PART][4], const Softmax& softmax,
                                         const BlockInfo& block, unsigned char* shared, float scale,
                                         unsigned lane) {
  if constexpr (KV_WARPS > 1) {
    const MergeSpace<M_TILES, PART, KV_WARPS, WARPS_M> merge(shared + MERGE_OFFSET, block.row_group);
    if constexpr (MERGE_SPACE == MERGE_SPACE_tiles) {
      EVO_SYNC_GROUP(SYNC_TILES_READ, block.key_barrier(), KEY_GROUP_THREADS);
    }
    merge.leave(softmax, block.key_group, lane);
    EVO_SYNC_GROUP(SYNC_MERGE, block.row_barrier(), ROW_GROUP_THREADS);
    merge.gather(result, softmax, block.key_group, scale, lane);
  } else {
    normalise(result, softmax);
  }
}

extern "C" __global__ void __launch_bounds__(THREADS, MIN_BLOCKS)
    attention_forward_mma(const __half* __restrict__ q, const __half* __restrict__ k,
                          const __half* __restrict__ v, __half* __restrict__ o, long long batch_stride,
                          long long head_stride, long long row_stride, long long o_batch_stride,
                          long long o_head_stride, long long o_row_stride, int seq, int causal,
                          float scale EVO_PROBE_PARAMETER) {
  extern __shared__ __align__(128) unsigned char shared[];
  const unsigned thread = threadIdx.x, lane = thread % 32;
  const BlockInfo block(static_cast<int>(thread / 32), seq, causal);
  const long long head = ROWS_FIRST ? blockIdx.y : blockIdx.x;
  const long long batch = blockIdx.z;
  EVO_PROBE_SLICE(blockIdx.z * (ROWS_FIRST ? gridDim.y : gridDim.x) + head);
  const auto rows_of = [&](const __half* data) {
    const auto* first =
        reinterpret_cast<const unsigned short*>(data) + batch * batch_stride + head * head_stride;
    const auto bits =
        reinterpret_cast<unsigned long long>(first) | static_cast<unsigned long long>(row_stride * 2);
    const bool aligned = bits % 16 == 0;
    return GlobalRows{first, row_stride, seq, aligned, aligned && row_stride == HEAD_DIM};
  };
  const GlobalRows q_rows = rows_of(q), k_rows = rows_of(k), v_rows = rows_of(v);

  const unsigned q_tile = shared_address(shared), k_stages = q_tile + Q_BYTES;
  const unsigned slice = block.key_group * (SLICE * Layout::PITCH);
  const KvPipeline pipeline{k_rows,
                            v_rows,
                            k_stages,
                            k_stages + STAGES * STAGE_BYTES,
                            (block.end_key + BLOCK_N - 1) / BLOCK_N,
                            block.row_group,
                            block.key_group,
                            thread,
                            lane,
                            slice};
  if constexpr (Q_SOURCE != Q_SOURCE_direct) fetch_q(q_tile, q_rows, block, thread);
  pipeline.fill();

  const FragmentAddresses addresses(lane);
  const unsigned warp_q_tile = q_tile + block.row_group * (WARP_ROWS * Layout::PITCH);
  QFragments q_fragments;
  if constexpr (Q_SOURCE == Q_SOURCE_direct) load_q_direct(q_fragments, q_rows, block.warp_row, lane);
  Softmax softmax;
  wait_copies<PENDING_K>();
  EVO_SYNC_GROUP(SYNC_PROLOGUE, block.key_barrier(), KEY_GROUP_THREADS);
  if constexpr (Q_SOURCE == Q_SOURCE_registers) load_q_fragments(q_fragments, addresses.q, warp_q_tile);

  const Consumer consumer{block, addresses, q_fragments, warp_q_tile, seq, causal, scale, lane};
  const int tiles = pipeline.tiles, key_barrier = block.key_barrier();
  int stage = 0;                // of tile i
  int last_stage = STAGES - 1;  // of tile i - 1, and of tile i + STAGES - 1
#pragma unroll 1
  for (int i = 0; i < tiles; ++i) {  // @key_tiles
    if constexpr (TOP) pipeline.fetch_tile(i + STAGES - 1, last_stage);
    if constexpr (INTERLEAVED) pipeline.fetch_v(i + STAGES - 1, last_stage);
    const int first_key = (BACKWARD ? tiles - 1 - i : i) * BLOCK_N + block.key_group * SLICE;
    const unsigned k_tile = pipeline.k_stages + stage * STAGE_BYTES + slice;
    const unsigned v_tile = pipeline.v_stages + stage * STAGE_BYTES + slice;
    const bool visible = first_key <= block.last_key;
    Scores s[AHEAD ? 2 : 1];
    if (visible) consumer.scores(s[0], k_tile, first_key, 0 EVO_PROBE_FORWARD);
    if constexpr (SPLIT_COMMITS) {
      wait_copies<PENDING_V>();  // @wait_v
      EVO_SYNC_GROUP(SYNC_V_READY, key_barrier, KEY_GROUP_THREADS);
    }
    if constexpr (INTERLEAVED) pipeline.fetch_k(i + STAGES, stage);
    if (visible) {
      consumer.slice(softmax, s, k_tile, v_tile, first_key EVO_PROBE_FORWARD);
#ifdef EVO_PROBE_ENABLED
      consumer.show(softmax, i EVO_PROBE_FORWARD);
#endif
    }
    if constexpr (PREFETCH == PREFETCH_bottom) {
      if (i + STAGES < tiles) {
        EVO_SYNC_GROUP(SYNC_STAGE_FREE, key_barrier, KEY_GROUP_THREADS);
        pipeline.fetch_tile(i + STAGES, stage);
      } else {
        if (SPLIT_COMMITS) commit_copies();
        commit_copies();
      }
    }
    last_stage = stage;
    stage = stage + 1 == STAGES ? 0 : stage + 1;
    if (i + 1 < tiles) {
      wait_copies<PENDING_K>();
      EVO_SYNC_GROUP(SYNC_K_READY, key_barrier, KEY_GROUP_THREADS);
    }
  }

  float result[M_TILES][PART][4];
  finalize(result, softmax, block, shared, scale, lane);
  auto* out = reinterpret_cast<unsigned short*>(o) + batch * o_batch_stride + head * o_head_stride;
  const auto out_bits =
      reinterpret_cast<unsigned long long>(out) | static_cast<unsigned long long>(o_row_stride * 2);
  const bool out_aligned = out_bits % 16 == 0;
#pragma unroll
  for (int m = 0; m < M_TILES; ++m) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int row = block.warp_row + m * 16 + half * 8 + static_cast<int>(lane / 4);
      unsigned short* target = out + row * o_row_stride + block.key_group * (PART * 8);
      unsigned words[PART];
#pragma unroll
      for (int n = 0; n < PART; ++n)
        words[n] = pack_halves(result[m][n][half * 2], result[m][n][half * 2 + 1]);
      if constexpr (OUTPUT_STORE == OUTPUT_STORE_exchanged) {
        store_exchanged(target, words, lane % 4, out_aligned, row < seq);
      } else {
        if (row < seq) store_words(target, words, lane % 4, out_aligned);
      }
    }
  }
}
