// Template hopper: how O leaves the registers, and how the parts of a split over the keys merge theirs. The template
// defines its genes before it includes this.
#pragma once

#include "evo_wgmma_softmax.cuh"

// Four 8 x 8 matrices to shared memory, from the layout of accumulators: lanes 8 m .. 8 m + 7 name the rows
// of matrix m. PTX ISA, "stmatrix".
__device__ __forceinline__ void stmatrix_x4(unsigned row, unsigned m0, unsigned m1, unsigned m2,
                                            unsigned m3) {
  asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(row), "r"(m0),
               "r"(m1), "r"(m2), "r"(m3)
               : "memory");
}

// CHUNKS times 8 elements of a row of O, of which each lane of a quad holds 2 of every 8.
template <int CHUNKS>
__device__ __forceinline__ void store_o_row(__half* row, const unsigned (&words)[CHUNKS], int quad_lane,
                                            bool inside, bool aligned) {
#if O_STORE == O_STORE_quad
  if (CHUNKS % 4 == 0 && __builtin_expect(aligned, 1)) {
    // Transposed within the quad, so that each lane stores 16 bytes: all of chunk i + quad_lane.
#pragma unroll
    for (int i = 0; i < CHUNKS / 4 * 4; i += 4) {
      const bool odd = quad_lane & 1, high = quad_lane & 2;
      // Of chunks i + odd and i + 2 + odd: the words of the two lanes that differ in their lowest bit.
      unsigned low_pair[2], high_pair[2];
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const unsigned kept = odd ? words[i + 2 * half + 1] : words[i + 2 * half];
        const unsigned sent = odd ? words[i + 2 * half] : words[i + 2 * half + 1];
        const unsigned got = __shfl_xor_sync(0xffffffffu, sent, 1);
        unsigned(&pair)[2] = half == 0 ? low_pair : high_pair;
        pair[0] = odd ? got : kept;
        pair[1] = odd ? kept : got;
      }
      uint4 chunk;
      const unsigned got0 = __shfl_xor_sync(0xffffffffu, high ? low_pair[0] : high_pair[0], 2);
      const unsigned got1 = __shfl_xor_sync(0xffffffffu, high ? low_pair[1] : high_pair[1], 2);
      chunk.x = high ? got0 : low_pair[0];
      chunk.y = high ? got1 : low_pair[1];
      chunk.z = high ? high_pair[0] : got0;
      chunk.w = high ? high_pair[1] : got1;
      if (inside) *reinterpret_cast<uint4*>(row + 8 * (i + quad_lane)) = chunk;
    }
    return;
  }
#endif
  if (!inside) return;
#pragma unroll
  for (int n = 0; n < CHUNKS; ++n) {
    __half* const place = row + 8 * n + 2 * quad_lane;
    if (aligned) {
      *reinterpret_cast<unsigned*>(place) = words[n];
    } else {
      place[0] = __ushort_as_half(static_cast<unsigned short>(words[n]));
      place[1] = __ushort_as_half(static_cast<unsigned short>(words[n] >> 16));
    }
  }
}

// A warp's 16 rows of O, which begin at `first_row`, by way of its 16 * HEAD_DIM halves of shared memory: whole rows
// leave in 16 bytes a lane. Chunk c of 8 halves of row r stands at c ^ r % 8, against bank conflicts.
__device__ __forceinline__ void store_o_rows(const unsigned (&words)[2][HEAD_DIM / 8],
                                             unsigned char* warp_rows, __half* o_head, long long o_row_stride,
                                             int first_row, int seq) {
  constexpr int CHUNKS = HEAD_DIM / 8;
  constexpr int SPREAD = CHUNKS < 8 ? CHUNKS : 8;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int own_row = lane % 16;
  __syncwarp();  // all lanes have read the rows of the last work tile
#pragma unroll
  for (int chunk = 0; chunk < CHUNKS; chunk += 2) {
    const int own_chunk = (chunk + lane / 16) ^ own_row % SPREAD;
    stmatrix_x4(shared_address(warp_rows) + own_row * HEAD_DIM * 2 + own_chunk * 16, words[0][chunk],
                words[1][chunk], words[0][chunk + 1], words[1][chunk + 1]);
  }
  // Neither copies nor products come here; but the check of proxy fences follows no addresses.
  fence_proxy_async();
  __syncwarp();
#pragma unroll
  for (int index = 0; index < 16 * CHUNKS; index += 32) {
    const int row = (index + lane) / CHUNKS, chunk = (index + lane) % CHUNKS;
    const uint4 halves =
        *reinterpret_cast<const uint4*>(warp_rows + row * HEAD_DIM * 2 + (chunk ^ row % SPREAD) * 16);
    if (first_row + row < seq)
      *reinterpret_cast<uint4*>(o_head + (first_row + row) * o_row_stride + chunk * 8) = halves;
  }
}

// Normalises and stores a warpgroup's O: rows `row` and row + 8 of this thread. warp_rows: the warp's shared memory
// for O_STORE rows.
__device__ __forceinline__ void store_o(const float (&o)[HEAD_DIM / 2], const Softmax& softmax,
                                        [[maybe_unused]] unsigned char* warp_rows, __half* o_head,
                                        long long o_row_stride, int row, int seq, bool o_aligned) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  unsigned words[2][HEAD_DIM / 8];
#pragma unroll
  for (int r = 0; r < 2; ++r) {
    const float inverse = reciprocal(quad_allreduce_sum(softmax.row_sum[r]));
#pragma unroll
    for (int n = 0; n < HEAD_DIM / 8; ++n)
      words[r][n] = pack_halves(o[4 * n + 2 * r] * inverse, o[4 * n + 2 * r + 1] * inverse);
  }
  if constexpr (O_STORE == O_STORE_rows) {
    if (__builtin_expect(o_aligned, 1)) {
      store_o_rows(words, warp_rows, o_head, o_row_stride, row - lane / 4, seq);
      return;
    }
  }
#pragma unroll
  for (int r = 0; r < 2; ++r)
    store_o_row<HEAD_DIM / 8>(o_head + (row + 8 * r) * o_row_stride, words[r], lane % 4, row + 8 * r < seq,
                              o_aligned);
}

// -- SPLIT_KV > 1 --------------------------------------------------------------------------------------------------
// Threads at the same place in each part hold the same elements of O: rows `row` and row + 8. Each part publishes what
// others merge, unnormalised, in its own ring, which nobody reads for products any more. It then merges one of the two
// rows, and MERGED of its HEAD_DIM / 8 groups of 8 columns. All parts run the same instructions and select with their
// number: to fetch instructions for each part apart takes longer than the selections do.

constexpr int MERGED = HEAD_DIM / 8 / (SPLIT_KV > 1 ? SPLIT_KV / 2 : 1);

// The `group`-th pair of columns among those that part `which` merges. Registers have no run-time index.
__device__ __forceinline__ float2 columns_of_part(int which, const float (&o)[HEAD_DIM / 2], int group) {
  float2 pair = make_float2(o[4 * group], o[4 * group + 1]);
#pragma unroll
  for (int part = 1; part < SPLIT_KV; ++part) {
    const float* const values = o + 4 * (part / 2 * MERGED + group) + 2 * (part % 2);
    if (which == part) pair = make_float2(values[0], values[1]);
  }
  return pair;
}

// Leaves O for the other parts, of which part ^ distance is the `distance`-th.
__device__ __forceinline__ void publish_partial_o(int part, unsigned char* rings,
                                                  const float (&o)[HEAD_DIM / 2], const Softmax& softmax) {
  const int place = static_cast<int>(threadIdx.x) % 128;
  float4* const own = reinterpret_cast<float4*>(rings + part * RING_BYTES) + place;
#pragma unroll
  for (int distance = 1; distance < SPLIT_KV; ++distance) {
#pragma unroll
    for (int two = 0; two < MERGED / 2; ++two) {
      const float2 low = columns_of_part(part ^ distance, o, 2 * two);
      const float2 high = columns_of_part(part ^ distance, o, 2 * two + 1);
      own[((distance - 1) * MERGED / 2 + two) * 128] = make_float4(low.x, low.y, high.x, high.y);
    }
  }
  own[HEAD_DIM / 8 * 128] = make_float4(softmax.row_max[0], quad_allreduce_sum(softmax.row_sum[0]),
                                        softmax.row_max[1], quad_allreduce_sum(softmax.row_sum[1]));
}

// Merges what all parts hold of this part's row and columns, normalises and stores it.
__device__ __forceinline__ void merge_partial_o(int part, const unsigned char* rings,
                                                const float (&o)[HEAD_DIM / 2], __half* o_head,
                                                long long o_row_stride, int row, int seq, bool o_aligned) {
  const int place = static_cast<int>(threadIdx.x) % 128;
  const auto published_by = [&](int other) {
    return reinterpret_cast<const float4*>(rings + other * RING_BYTES) + place;
  };
  float2 max_and_sum[SPLIT_KV];  // of this part, then of part ^ 1, ...
  float row_max = minus_infinity();
#pragma unroll
  for (int distance = 0; distance < SPLIT_KV; ++distance) {
    max_and_sum[distance] =
        reinterpret_cast<const float2*>(published_by(part ^ distance) + HEAD_DIM / 8 * 128)[part % 2];
    row_max = fmaxf(row_max, max_and_sum[distance].x);
  }
  float weight[SPLIT_KV];
  float row_sum = 0.0f;
#pragma unroll
  for (int distance = 0; distance < SPLIT_KV; ++distance) {
    weight[distance] = exp2_hardware(max_and_sum[distance].x - row_max);
    row_sum = fmaf(max_and_sum[distance].y, weight[distance], row_sum);
  }
  const float inverse = reciprocal(row_sum);
  unsigned words[MERGED];
#pragma unroll
  for (int two = 0; two < MERGED / 2; ++two) {
    const float2 low = columns_of_part(part, o, 2 * two), high = columns_of_part(part, o, 2 * two + 1);
    float merged[4] = {low.x * weight[0], low.y * weight[0], high.x * weight[0], high.y * weight[0]};
#pragma unroll
    for (int distance = 1; distance < SPLIT_KV; ++distance) {
      const float4 values = published_by(part ^ distance)[((distance - 1) * MERGED / 2 + two) * 128];
      merged[0] = fmaf(values.x, weight[distance], merged[0]);
      merged[1] = fmaf(values.y, weight[distance], merged[1]);
      merged[2] = fmaf(values.z, weight[distance], merged[2]);
      merged[3] = fmaf(values.w, weight[distance], merged[3]);
    }
    words[2 * two] = pack_halves(merged[0] * inverse, merged[1] * inverse);
    words[2 * two + 1] = pack_halves(merged[2] * inverse, merged[3] * inverse);
  }
  const int merged_row = row + 8 * (part % 2);
  store_o_row<MERGED>(o_head + merged_row * o_row_stride + part / 2 * MERGED * 8, words, place % 4,
                      merged_row < seq, o_aligned);
}
