// Forward attention on the FP32 pipes, in the manner of FlashAttention-1: a block owns BLOCK_M queries, walks
// over tiles of BLOCK_N keys, keeps S in shared memory, and renormalises O as the running maximum grows.
//
// Threads are laid over S and over O as a grid of ROW_THREADS x COL_THREADS; the softmax has a layout of its
// own, THREADS_PER_ROW to a row. Where the layouts agree and a row stays within a warp (LANE_ORDER columns
// and COL_THREADS == THREADS_PER_ROW), a warp barrier is enough between the three steps; elsewhere rows
// change hands between warps.
#include "evo_half.cuh"
#include "evo_probe.cuh"
#include "evo_sync.cuh"

constexpr int THREADS = NUM_WARPS * 32;
constexpr int ROW_THREADS = BLOCK_M / ROWS_PER_THREAD;
constexpr int COL_THREADS = THREADS / ROW_THREADS;
constexpr int DIMS_PER_THREAD = HEAD_DIM / COL_THREADS;
constexpr int V_READ = READ_VEC < DIMS_PER_THREAD ? READ_VEC : DIMS_PER_THREAD;
constexpr int V_CHUNKS = DIMS_PER_THREAD / V_READ;
constexpr int INNER_UNROLL = UNROLL;  // pragmas take constants, not macros
constexpr int KEY_UNROLL = UNROLL > P_VEC ? UNROLL / P_VEC : 1;
constexpr int ROW_PITCH = HEAD_DIM + SMEM_PAD;  // of Q, K and V in shared memory
constexpr int S_PITCH = BLOCK_N + S_PAD;
constexpr int TILE_HALVES = BLOCK_N * ROW_PITCH;

#if S_DTYPE == S_DTYPE_half
using Score = __half;
__device__ __forceinline__ Score to_score(float value) {
  return __float2half_rn(value);
}
__device__ __forceinline__ float from_score(Score value) {
  return __half2float(value);
}
template <int N>
__device__ __forceinline__ void read_scores(const Score* source, float (&values)[N]) {
  HalfChunk<N> chunk;
  chunk.word = *reinterpret_cast<const typename HalfWord<N>::Type*>(source);
  unpack<N>(chunk, values);
}
#else
using Score = float;
__device__ __forceinline__ Score to_score(float value) {
  return value;
}
__device__ __forceinline__ float from_score(Score value) {
  return value;
}
template <int N>
__device__ __forceinline__ void read_scores(const Score* source, float (&values)[N]) {
  if constexpr (N == 1) {
    values[0] = source[0];
  } else {
    // As 64-bit words: the compiler takes a float2 or float4 apart here.
#pragma unroll
    for (int e = 0; e < N; e += 2) {
      const unsigned long long pair = *reinterpret_cast<const unsigned long long*>(source + e);
      values[e] = __uint_as_float(static_cast<unsigned int>(pair));
      values[e + 1] = __uint_as_float(static_cast<unsigned int>(pair >> 32));
    }
  }
}
#endif

#if EXP_VARIANT == EXP_VARIANT_exp2
constexpr float EXPONENT_SCALE = 1.4426950408889634f;  // log2(e)
__device__ __forceinline__ float exponential(float x) {
  return exp2f(x);
}
#else
constexpr float EXPONENT_SCALE = 1.0f;
__device__ __forceinline__ float exponential(float x) {
  return expf(x);
}
#endif

__device__ __forceinline__ float minus_infinity() {
  return __int_as_float(0xff800000);
}

// Rows first_row .. first_row + ROWS - 1 of a head into shared memory; rows past the end become zeros.
template <int ROWS>
__device__ __forceinline__ void copy_tile(__half* tile, const __half* head, long long row_stride,
                                          int first_row, int end_row, bool aligned) {
  constexpr int CHUNKS = HEAD_DIM / VEC;
  constexpr int ROUNDS = (ROWS * CHUNKS + THREADS - 1) / THREADS;
#pragma unroll INNER_UNROLL
  for (int round = 0; round < ROUNDS; ++round) {
    const int index = round * THREADS + static_cast<int>(threadIdx.x);
    if (ROWS * CHUNKS % THREADS != 0 && index >= ROWS * CHUNKS) break;
    const int row = index / CHUNKS;
    const int column = index % CHUNKS * VEC;
    HalfChunk<VEC> chunk = zero_chunk<VEC>();
    if (first_row + row < end_row) {
      const __half* source = head + (first_row + row) * row_stride + column;
      if (VEC == 1 || aligned) {
        chunk.word = *reinterpret_cast<const typename HalfWord<VEC>::Type*>(source);
      } else {
#pragma unroll
        for (int e = 0; e < VEC; ++e) chunk.lane[e] = __half_raw(source[e]);
      }
    }
    *reinterpret_cast<typename HalfWord<VEC>::Type*>(tile + row * ROW_PITCH + column) = chunk.word;
  }
}

// N halves of a tile in shared memory, as floats.
template <int N>
__device__ __forceinline__ void read_tile(const __half* source, float (&values)[N]) {
  HalfChunk<N> chunk;
  chunk.word = *reinterpret_cast<const typename HalfWord<N>::Type*>(source);
  unpack<N>(chunk, values);
}

extern "C" __global__ void __launch_bounds__(THREADS, MIN_BLOCKS)
    attention_forward_scalar(const __half* __restrict__ q, const __half* __restrict__ k,
                             const __half* __restrict__ v, __half* __restrict__ o, long long batch_stride,
                             long long head_stride, long long row_stride, long long o_batch_stride,
                             long long o_head_stride, long long o_row_stride, int seq, int causal,
                             float scale EVO_PROBE_PARAMETER) {
  extern __shared__ __align__(16) unsigned char dynamic_smem[];
  __half* q_tile = reinterpret_cast<__half*>(dynamic_smem);
  __half* k_tiles = q_tile + BLOCK_M * ROW_PITCH;
  __half* v_tiles = k_tiles + KV_BUFFERS * TILE_HALVES;
  Score* s_tile = reinterpret_cast<Score*>(v_tiles + KV_BUFFERS * TILE_HALVES);
  __shared__ float row_max[BLOCK_M];    // touched by the first thread of a row's softmax only
  __shared__ float row_sum[BLOCK_M];    // likewise, until the end
  __shared__ float row_alpha[BLOCK_M];  // exp(old maximum - new maximum)

  const int thread = static_cast<int>(threadIdx.x);
#if LANE_ORDER == LANE_ORDER_columns
  const int my_row = thread / COL_THREADS;
  const int my_col = thread % COL_THREADS;
#else
  const int my_row = thread % ROW_THREADS;
  const int my_col = thread / ROW_THREADS;
#endif

  EVO_PROBE_SLICE(blockIdx.z * gridDim.y + blockIdx.y);
  const int first_query = static_cast<int>(blockIdx.x) * BLOCK_M;
  const long long head_offset = blockIdx.z * batch_stride + blockIdx.y * head_stride;
  q += head_offset;
  k += head_offset;
  v += head_offset;
  o += blockIdx.z * o_batch_stride + blockIdx.y * o_head_stride;
  const bool q_aligned = rows_aligned<VEC>(q, row_stride);
  const bool k_aligned = rows_aligned<VEC>(k, row_stride), v_aligned = rows_aligned<VEC>(v, row_stride);

  copy_tile<BLOCK_M>(q_tile, q, row_stride, first_query, seq, q_aligned);
#if KV_BUFFERS == 2
  copy_tile<BLOCK_N>(k_tiles, k, row_stride, 0, seq, k_aligned);
  copy_tile<BLOCK_N>(v_tiles, v, row_stride, 0, seq, v_aligned);
#endif
  EVO_SYNC(SYNC_Q_LOADED);

  float out[ROWS_PER_THREAD][DIMS_PER_THREAD];
#pragma unroll
  for (int i = 0; i < ROWS_PER_THREAD; ++i) {
#pragma unroll
    for (int d = 0; d < DIMS_PER_THREAD; ++d) out[i][d] = 0.0f;
  }

  const float score_scale = scale * EXPONENT_SCALE;
  // No query of this block sees a key past its last row.
  const int end_key = causal ? min(seq, first_query + BLOCK_M) : seq;

  for (int first_key = 0; first_key < end_key; first_key += BLOCK_N) {
#if KV_BUFFERS == 2
    const int buffer = first_key / BLOCK_N % 2;
    const __half* k_tile = k_tiles + buffer * TILE_HALVES;
    const __half* v_tile = v_tiles + buffer * TILE_HALVES;
    EVO_SYNC(SYNC_KV_LOADED);
    if (first_key + BLOCK_N < end_key) {
      const int other = (1 - buffer) * TILE_HALVES;
      copy_tile<BLOCK_N>(k_tiles + other, k, row_stride, first_key + BLOCK_N, seq, k_aligned);
      copy_tile<BLOCK_N>(v_tiles + other, v, row_stride, first_key + BLOCK_N, seq, v_aligned);
    }
#else
    const __half* k_tile = k_tiles;
    const __half* v_tile = v_tiles;
    copy_tile<BLOCK_N>(k_tiles, k, row_stride, first_key, seq, k_aligned);
    copy_tile<BLOCK_N>(v_tiles, v, row_stride, first_key, seq, v_aligned);
    EVO_SYNC(SYNC_KV_LOADED);
#endif

    // S = scale * Q K^T, -infinity where masked.
#if MASK_MODE == MASK_MODE_always
    const bool masked = true;
#else
    const bool masked = first_key + BLOCK_N > seq || (causal && first_key + BLOCK_N - 1 > first_query);
#endif
#pragma unroll 1
    for (int group = 0; group < BLOCK_N / (COL_THREADS * COLS_PER_THREAD); ++group) {
      const int column = group * COLS_PER_THREAD * COL_THREADS + my_col;
      float dot[ROWS_PER_THREAD][COLS_PER_THREAD];
#pragma unroll
      for (int i = 0; i < ROWS_PER_THREAD; ++i) {
#pragma unroll
        for (int j = 0; j < COLS_PER_THREAD; ++j) dot[i][j] = 0.0f;
      }
#pragma unroll INNER_UNROLL
      for (int d = 0; d < HEAD_DIM; d += READ_VEC) {
        float q_part[ROWS_PER_THREAD][READ_VEC];
        float k_part[COLS_PER_THREAD][READ_VEC];
#pragma unroll
        for (int i = 0; i < ROWS_PER_THREAD; ++i) {
          read_tile<READ_VEC>(q_tile + (my_row + i * ROW_THREADS) * ROW_PITCH + d, q_part[i]);
        }
#pragma unroll
        for (int j = 0; j < COLS_PER_THREAD; ++j) {
          read_tile<READ_VEC>(k_tile + (column + j * COL_THREADS) * ROW_PITCH + d, k_part[j]);
        }
#pragma unroll
        for (int e = 0; e < READ_VEC; ++e) {
#pragma unroll
          for (int i = 0; i < ROWS_PER_THREAD; ++i) {
#pragma unroll
            for (int j = 0; j < COLS_PER_THREAD; ++j) dot[i][j] = fmaf(q_part[i][e], k_part[j][e], dot[i][j]);
          }
        }
      }
#pragma unroll
      for (int i = 0; i < ROWS_PER_THREAD; ++i) {
        const int row = my_row + i * ROW_THREADS;
        const int last_key = causal ? min(seq - 1, first_query + row) : seq - 1;
#pragma unroll
        for (int j = 0; j < COLS_PER_THREAD; ++j) {
          const int col = column + j * COL_THREADS;
          const bool hidden = masked && first_key + col > last_key;
          s_tile[row * S_PITCH + col] = to_score(hidden ? minus_infinity() : dot[i][j] * score_scale);
          EVO_PROBE(S, first_query + row, first_key + col,
                    from_score(s_tile[row * S_PITCH + col]) / EXPONENT_SCALE);
        }
      }
    }
    EVO_SYNC(SYNC_S_READY);

    // Online softmax: P replaces S. Key 0 is visible to every row, so the maximum is finite from the first
    // tile on.
    const int softmax_lane = thread % THREADS_PER_ROW;
    constexpr int ROW_ELEMENTS = (BLOCK_N + THREADS_PER_ROW - 1) / THREADS_PER_ROW;
#pragma unroll 1
    for (int row = thread / THREADS_PER_ROW; row < BLOCK_M; row += THREADS / THREADS_PER_ROW) {
      Score* s_row = s_tile + row * S_PITCH;
      float top = minus_infinity();
#pragma unroll INNER_UNROLL
      for (int c = 0; c < ROW_ELEMENTS; ++c) {
        const int col = c * THREADS_PER_ROW + softmax_lane;
        if (THREADS_PER_ROW <= BLOCK_N || col < BLOCK_N) top = fmaxf(top, from_score(s_row[col]));
      }
      if (softmax_lane == 0 && first_key > 0) top = fmaxf(top, row_max[row]);
#pragma unroll
      for (int step = THREADS_PER_ROW / 2; step > 0; step /= 2) {
        top = fmaxf(top, __shfl_xor_sync(0xffffffffu, top, step));
      }
      float sum = 0.0f;  // @row_sum
#pragma unroll INNER_UNROLL
      for (int c = 0; c < ROW_ELEMENTS; ++c) {
        const int col = c * THREADS_PER_ROW + softmax_lane;
        if (THREADS_PER_ROW <= BLOCK_N || col < BLOCK_N) {
          const Score p = to_score(exponential(from_score(s_row[col]) - top));
          s_row[col] = p;
          EVO_PROBE(P, first_query + row, first_key + col, from_score(p));
          sum += from_score(p);
        }
      }
#pragma unroll
      for (int step = THREADS_PER_ROW / 2; step > 0; step /= 2)
        sum += __shfl_xor_sync(0xffffffffu, sum, step);
      if (softmax_lane == 0) {
        float alpha = 0.0f;
        if (first_key > 0) {
          alpha = exponential(row_max[row] - top);
          sum = fmaf(row_sum[row], alpha, sum);
        }
        row_max[row] = top;
        row_sum[row] = sum;
        row_alpha[row] = alpha;
        EVO_PROBE(M, first_query + row, first_key / BLOCK_N, top / EXPONENT_SCALE);
        EVO_PROBE(L, first_query + row, first_key / BLOCK_N, sum);
      }
    }
    EVO_SYNC(SYNC_P_READY);

    // O = alpha * O + P V.
#pragma unroll
    for (int i = 0; i < ROWS_PER_THREAD; ++i) {
      const float alpha = row_alpha[my_row + i * ROW_THREADS];
#pragma unroll
      for (int d = 0; d < DIMS_PER_THREAD; ++d) out[i][d] *= alpha;
    }
#pragma unroll KEY_UNROLL
    for (int key = 0; key < BLOCK_N; key += P_VEC) {
      float p[ROWS_PER_THREAD][P_VEC];
#pragma unroll
      for (int i = 0; i < ROWS_PER_THREAD; ++i) {
        read_scores<P_VEC>(s_tile + (my_row + i * ROW_THREADS) * S_PITCH + key, p[i]);
      }
#pragma unroll
      for (int n = 0; n < P_VEC; ++n) {
#pragma unroll
        for (int c = 0; c < V_CHUNKS; ++c) {
          float v_part[V_READ];
          read_tile<V_READ>(v_tile + (key + n) * ROW_PITCH + (c * COL_THREADS + my_col) * V_READ, v_part);
#pragma unroll
          for (int e = 0; e < V_READ; ++e) {
#pragma unroll
            for (int i = 0; i < ROWS_PER_THREAD; ++i) {
              out[i][c * V_READ + e] = fmaf(p[i][n], v_part[e], out[i][c * V_READ + e]);
            }
          }
        }
      }
    }
#pragma unroll
    for (int i = 0; i < ROWS_PER_THREAD; ++i) {
#pragma unroll
      for (int d = 0; d < DIMS_PER_THREAD; ++d) {
        EVO_PROBE(A, first_query + my_row + i * ROW_THREADS,
                  first_key / BLOCK_N * HEAD_DIM + (d / V_READ * COL_THREADS + my_col) * V_READ + d % V_READ,
                  out[i][d]);
      }
    }
    EVO_SYNC(SYNC_BEFORE_OVERWRITE);
  }

  const bool o_aligned = rows_aligned<V_READ>(o, o_row_stride);
#pragma unroll
  for (int i = 0; i < ROWS_PER_THREAD; ++i) {
    const int row = my_row + i * ROW_THREADS;
    if (first_query + row >= seq) continue;
    const float inverse = 1.0f / row_sum[row];
    __half* target = o + (first_query + row) * o_row_stride;
#pragma unroll
    for (int c = 0; c < V_CHUNKS; ++c) {
      float values[V_READ];
#pragma unroll
      for (int e = 0; e < V_READ; ++e) values[e] = out[i][c * V_READ + e] * inverse;
      const HalfChunk<V_READ> chunk = pack<V_READ>(values);
      __half* place = target + (c * COL_THREADS + my_col) * V_READ;
      if (V_READ == 1 || o_aligned) {
        *reinterpret_cast<typename HalfWord<V_READ>::Type*>(place) = chunk.word;
      } else {
#pragma unroll
        for (int e = 0; e < V_READ; ++e) place[e] = __half(chunk.lane[e]);
      }
    }
  }
}
