// An attention kernel that looks finished and is not: a case for `evo validate`. It has three faults of a
// kind that numbers alone rarely show, each of which was hunted by hand for hours in some real kernel:
//  1. the pitch of the shared tiles follows the tile, and 16-byte accesses need a pitch of 8 halves'
//  multiple:
//     right for BLOCK_N 64, a misaligned address for BLOCK_N 32;
//  2. NUM_WARPS and BLOCK_M are genes, yet the loops count on 4 warps of 16 rows;
//  3. no barrier stands between the last read of K and V and the copy that overwrites them.
// Corrected in all three it passes (tests/kernels), so nothing else is wrong with it.
#include "evo_half.cuh"

constexpr int ROWS_PER_WARP = 16;
constexpr int ROW_PITCH = HEAD_DIM + SMEM_PAD * BLOCK_N / 64;  // fault 1
constexpr int CHUNK = 8;                                       // halves of a 16-byte access

__device__ __forceinline__ float lowest() {
  return __int_as_float(0xff800000);
}

__device__ __forceinline__ void copy_rows(__half* tile, const __half* head, long long row_stride,
                                          int first_row, int rows, int end_row) {
  for (int i = threadIdx.x; i < rows * (HEAD_DIM / CHUNK); i += 128) {  // fault 2: 4 warps
    const int row = i / (HEAD_DIM / CHUNK);
    const int column = i % (HEAD_DIM / CHUNK) * CHUNK;
    HalfChunk<CHUNK> chunk = zero_chunk<CHUNK>();
    if (first_row + row < end_row) {
      const __half* source = head + (first_row + row) * row_stride + column;
#pragma unroll
      for (int e = 0; e < CHUNK; ++e) chunk.lane[e] = __half_raw(source[e]);
    }
    *reinterpret_cast<uint4*>(tile + row * ROW_PITCH + column) = chunk.word;
  }
}

extern "C" __global__ void naive_tiles(const __half* __restrict__ q, const __half* __restrict__ k,
                                       const __half* __restrict__ v, __half* __restrict__ o,
                                       long long batch_stride, long long head_stride, long long row_stride,
                                       int seq, int causal, float scale) {
  extern __shared__ __align__(16) unsigned char dynamic_smem[];
  __half* q_tile = reinterpret_cast<__half*>(dynamic_smem);
  __half* k_tile = q_tile + BLOCK_M * ROW_PITCH;
  __half* v_tile = k_tile + BLOCK_N * ROW_PITCH;
  float* s_tile = reinterpret_cast<float*>(v_tile + BLOCK_N * ROW_PITCH);

  const int warp = threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  const int first_query = blockIdx.x * BLOCK_M;
  const long long head_offset = blockIdx.z * batch_stride + blockIdx.y * head_stride;
  q += head_offset;
  k += head_offset;
  v += head_offset;
  o += head_offset;

  copy_rows(q_tile, q, row_stride, first_query, BLOCK_M, seq);

  float out[ROWS_PER_WARP][HEAD_DIM / 32];
  float row_max[ROWS_PER_WARP];
  float row_sum[ROWS_PER_WARP];
#pragma unroll
  for (int r = 0; r < ROWS_PER_WARP; ++r) {
    row_max[r] = lowest();
    row_sum[r] = 0.0f;
#pragma unroll
    for (int d = 0; d < HEAD_DIM / 32; ++d) out[r][d] = 0.0f;
  }

  const int end_key = causal ? min(seq, first_query + BLOCK_M) : seq;
  for (int first_key = 0; first_key < end_key; first_key += BLOCK_N) {
    copy_rows(k_tile, k, row_stride, first_key, BLOCK_N, seq);
    copy_rows(v_tile, v, row_stride, first_key, BLOCK_N, seq);
    __syncthreads();

#pragma unroll
    for (int r = 0; r < ROWS_PER_WARP; ++r) {
      const int row = warp * ROWS_PER_WARP + r;  // fault 2: BLOCK_M is 4 * 16
      const int last_key = causal ? min(seq - 1, first_query + row) : seq - 1;
      float top = row_max[r];
      for (int col = lane; col < BLOCK_N; col += 32) {
        float dot = 0.0f;
#pragma unroll 2
        for (int d = 0; d < HEAD_DIM; d += CHUNK) {
          HalfChunk<CHUNK> q_chunk, k_chunk;
          q_chunk.word = *reinterpret_cast<const uint4*>(q_tile + row * ROW_PITCH + d);
          k_chunk.word = *reinterpret_cast<const uint4*>(k_tile + col * ROW_PITCH + d);
          float q_part[CHUNK], k_part[CHUNK];
          unpack<CHUNK>(q_chunk, q_part);
          unpack<CHUNK>(k_chunk, k_part);
#pragma unroll
          for (int e = 0; e < CHUNK; ++e) dot = fmaf(q_part[e], k_part[e], dot);
        }
        const float score = first_key + col > last_key ? lowest() : dot * scale;
        s_tile[row * BLOCK_N + col] = score;
        top = fmaxf(top, score);
      }
#pragma unroll
      for (int step = 16; step > 0; step /= 2) top = fmaxf(top, __shfl_xor_sync(0xffffffffu, top, step));
      float sum = 0.0f;
      for (int col = lane; col < BLOCK_N; col += 32) {
        const float p = expf(s_tile[row * BLOCK_N + col] - top);
        s_tile[row * BLOCK_N + col] = p;
        sum += p;
      }
#pragma unroll
      for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, step);
      const float alpha = expf(row_max[r] - top);
      row_sum[r] = row_sum[r] * alpha + sum;
      row_max[r] = top;
#pragma unroll
      for (int d = 0; d < HEAD_DIM / 32; ++d) out[r][d] *= alpha;
    }
    __syncwarp();

    for (int key = 0; key < BLOCK_N; ++key) {
#pragma unroll
      for (int d = 0; d < HEAD_DIM / 32; ++d) {
        const float value = __half2float(v_tile[key * ROW_PITCH + d * 32 + lane]);
#pragma unroll
        for (int r = 0; r < ROWS_PER_WARP; ++r) {
          out[r][d] = fmaf(s_tile[(warp * ROWS_PER_WARP + r) * BLOCK_N + key], value, out[r][d]);
        }
      }
    }
    // fault 3: the next copy overwrites K and V under warps that are still here
  }

#pragma unroll
  for (int r = 0; r < ROWS_PER_WARP; ++r) {
    const int row = first_query + warp * ROWS_PER_WARP + r;
    if (row < seq) {
#pragma unroll
      for (int d = 0; d < HEAD_DIM / 32; ++d) {
        o[row * row_stride + d * 32 + lane] = __float2half_rn(out[r][d] / row_sum[r]);
      }
    }
  }
}
