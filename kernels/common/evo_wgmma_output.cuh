// Template hopper: how O leaves the registers. The template defines its genes and the sizes of rings before
// it includes this.
#pragma once

#include "evo_wgmma_softmax.cuh"

// CHUNKS times 8 elements of a row of O: each lane of a quad holds 2 of every 8.
template <int CHUNKS>
__device__ __forceinline__ void store_row(__half* row, const unsigned (&words)[CHUNKS], int t, bool inside,
                                          bool aligned) {
#if O_STORE == O_STORE_quad
  if (CHUNKS % 4 == 0 && __builtin_expect(aligned, 1)) {
    // Transposed within the quad, so that lane t stores all of chunk 4 * i + t.
#pragma unroll
    for (int i = 0; i < CHUNKS / 4 * 4; i += 4) {
      const bool odd = t & 1, high = t & 2;
      unsigned low_pair[2],
          high_pair[2];  // of chunks i + (t & 1) and i + 2 + (t & 1): words of lanes t & ~1, t | 1
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
      if (inside) *reinterpret_cast<uint4*>(row + 8 * (i + t)) = chunk;
    }
    return;
  }
#endif
  if (!inside) return;
#pragma unroll
  for (int n = 0; n < CHUNKS; ++n) {
    __half* const place = row + 8 * n + 2 * t;
    if (aligned) {
      *reinterpret_cast<unsigned*>(place) = words[n];
    } else {
      place[0] = __ushort_as_half(static_cast<unsigned short>(words[n]));
      place[1] = __ushort_as_half(static_cast<unsigned short>(words[n] >> 16));
    }
  }
}

#if SPLIT_KV > 1
// The threads of one place in the parts hold the same elements of O: rows `row` and row + 8. Each part leaves
// what others finish, unnormalised, in its ring, meets them, and finishes one of the two rows, and FINISHED
// of its HEAD_DIM / 8 groups of 8 columns. Nobody reads the rings for products any more. Which part is a
// number that the compiler knows, since registers have no run-time index.
constexpr int FINISHED = HEAD_DIM / 8 / (SPLIT_KV / 2);

template <int PART>
__device__ __forceinline__ void leave_part(unsigned char* rings, const float (&output)[HEAD_DIM / 2],
                                           const Softmax& softmax) {
  const int place = static_cast<int>(threadIdx.x) % 128;
  float4* const mine = reinterpret_cast<float4*>(rings + PART * RING_BYTES) + place;
#pragma unroll
  for (int other = 0; other < SPLIT_KV; ++other) {
#pragma unroll
    for (int pair = 0; pair < FINISHED / 2; ++pair) {
      const float* const values = output + 4 * (other / 2 * FINISHED + 2 * pair) + 2 * (other % 2);
      if (other != PART)
        mine[(other * FINISHED / 2 + pair) * 128] = make_float4(values[0], values[1], values[4], values[5]);
    }
  }
  mine[HEAD_DIM / 8 * 128] =
      make_float4(softmax.top[0], quad_sum(softmax.sum[0]), softmax.top[1], quad_sum(softmax.sum[1]));
}

template <int PART>
__device__ __forceinline__ void finish_part(const unsigned char* rings, const float (&output)[HEAD_DIM / 2],
                                            __half* o_head, long long o_row_stride, int row, int seq,
                                            bool o_aligned) {
  const int place = static_cast<int>(threadIdx.x) % 128;
  constexpr int ROW = PART % 2, GROUP = PART / 2 * FINISHED;
  float2 of[SPLIT_KV];  // the parts' maximum and sum
  float top = minus_infinity();
#pragma unroll
  for (int other = 0; other < SPLIT_KV; ++other) {
    of[other] = reinterpret_cast<const float2*>(reinterpret_cast<const float4*>(rings + other * RING_BYTES) +
                                                HEAD_DIM / 8 * 128 + place)[ROW];
    top = fmaxf(top, of[other].x);
  }
  float sum = 0.0f;
  float merged[FINISHED][2];
  const float own = exp2_hardware(of[PART].x - top);
#pragma unroll
  for (int n = 0; n < FINISHED; ++n) {
#pragma unroll
    for (int c = 0; c < 2; ++c) merged[n][c] = own * output[4 * (GROUP + n) + 2 * ROW + c];
  }
#pragma unroll
  for (int other = 0; other < SPLIT_KV; ++other) {
    const float weight = exp2_hardware(of[other].x - top);
    sum = fmaf(of[other].y, weight, sum);
    if (other == PART) continue;
    const float4* const theirs =
        reinterpret_cast<const float4*>(rings + other * RING_BYTES) + PART * FINISHED / 2 * 128 + place;
#pragma unroll
    for (int pair = 0; pair < FINISHED / 2; ++pair) {
      const float4 values = theirs[pair * 128];
      merged[2 * pair][0] = fmaf(values.x, weight, merged[2 * pair][0]);
      merged[2 * pair][1] = fmaf(values.y, weight, merged[2 * pair][1]);
      merged[2 * pair + 1][0] = fmaf(values.z, weight, merged[2 * pair + 1][0]);
      merged[2 * pair + 1][1] = fmaf(values.w, weight, merged[2 * pair + 1][1]);
    }
  }
  const float inverse = reciprocal(sum);
  unsigned words[FINISHED];
#pragma unroll
  for (int n = 0; n < FINISHED; ++n) words[n] = pack_halves(merged[n][0] * inverse, merged[n][1] * inverse);
  store_row<FINISHED>(o_head + (row + 8 * ROW) * o_row_stride + GROUP * 8, words, place % 4,
                      row + 8 * ROW < seq, o_aligned);
}
#endif
