// Template hopper: the softmax of a tile of S that a warpgroup holds in wgmma's layout of accumulators, and
// the mask. The template defines its genes before it includes this.
#pragma once

#include "evo_exp2.cuh"
#include "evo_fragment.cuh"
#include "evo_wgmma_sizes.cuh"

// P stays below 2^8 where the maximum may lag behind: far from FP16's largest number.
[[maybe_unused]] constexpr float RESCALE_THRESHOLD = 8.0f;

__device__ __forceinline__ float minus_infinity() {
  return __int_as_float(0xff800000);
}

// The running softmax of the two rows that a thread shares with the other three lanes of its quad: lane / 4
// and 8 below.
struct Softmax {
  float top[2] = {minus_infinity(), minus_infinity()};  // as an exponent of two
  float sum[2] = {0.0f, 0.0f};                          // of this thread's columns
  float base[2];                                        // top, or 0 where that is minus infinity
  float alpha[2];                                       // factors for what was summed so far

  float most[2][4];  // of the tile so far, in four chains

  // The largest of columns begin .. end - 1 of S joins those seen of this tile; the first columns start anew.
  __device__ __forceinline__ void look(const float (&s)[BLOCK_N / 2], int begin, int end) {
#pragma unroll
    for (int r = 0; r < 2; ++r) {
#pragma unroll
      for (int n = begin / 8; n < end / 8; n += 2) {
#pragma unroll
        for (int e = 0; e < 4; ++e) {
          const float value = s[4 * n + e / 2 * 4 + 2 * r + e % 2];
          most[r][e] = n == 0 ? value : fmaxf(most[r][e], value);
        }
      }
    }
  }

  // What was seen raises the maxima.
  __device__ __forceinline__ void raise(float factor) {
#pragma unroll
    for (int r = 0; r < 2; ++r) {
      float highest = fmaxf(fmaxf(most[r][0], most[r][1]), fmaxf(most[r][2], most[r][3]));
      highest = fmaxf(highest, __shfl_xor_sync(0xffffffffu, highest, 1));
      highest = fmaxf(highest, __shfl_xor_sync(0xffffffffu, highest, 2));
      highest = fmaxf(highest * factor, top[r]);
#if RESCALE == RESCALE_lazy
      if (highest - top[r] <= RESCALE_THRESHOLD) highest = top[r];
#endif
      // A row that has seen no key yet stays at minus infinity; its P are exp2(-inf - 0) = 0.
      base[r] = highest == minus_infinity() ? 0.0f : highest;
      alpha[r] = exp2_hardware(top[r] - base[r]);
      top[r] = highest;
      sum[r] *= alpha[r];
    }
  }

  // Columns begin .. end - 1 of S become those of P; `factor` turns a logit into a power of two.
  __device__ __forceinline__ void powers(float (&s)[BLOCK_N / 2], float factor, int begin, int end) {
#pragma unroll
    for (int r = 0; r < 2; ++r) {
      float sums[2] = {sum[r], 0.0f};
#pragma unroll
      for (int n = begin / 8; n < end / 8; ++n) {
#pragma unroll
        for (int c = 0; c < 2; ++c) {
          float& element = s[4 * n + 2 * r + c];
          const float power = fmaf(element, factor, -base[r]);
#if EXP_POLYNOMIAL > 0
          element = (2 * n + c) % EXP_POLYNOMIAL == 0 ? exp2_polynomial(power) : exp2_hardware(power);
#else
          element = exp2_hardware(power);
#endif
          sums[c] += element;
        }
      }
      sum[r] = sums[0] + sums[1];
    }
  }

  __device__ __forceinline__ void rescale(float (&o)[HEAD_DIM / 2]) const {
#if RESCALE == RESCALE_lazy
    if (__all_sync(0xffffffffu, alpha[0] == 1.0f && alpha[1] == 1.0f)) return;
#endif
#pragma unroll
    for (int i = 0; i < HEAD_DIM / 2; ++i) o[i] *= alpha[i / 2 % 2];
  }
};

// Over the four lanes that share a row.
__device__ __forceinline__ float quad_sum(float sum) {
  sum += __shfl_xor_sync(0xffffffffu, sum, 1);
  return sum + __shfl_xor_sync(0xffffffffu, sum, 2);
}

__device__ __forceinline__ void pack_probabilities(const float (&s)[BLOCK_N / 2], unsigned (&p)[BLOCK_N / 4],
                                                   int begin, int end) {
#pragma unroll
  for (int i = begin / 4; i < end / 4; ++i) p[i] = pack_halves(s[2 * i], s[2 * i + 1]);
}

// Of columns begin .. end - 1: minus infinity where `row` (and row + 8) must not see the key; `first_key` is
// the tile's.
__device__ __forceinline__ void mask(float (&s)[BLOCK_N / 2], int first_key, int row, int seq, int causal,
                                     int t, int begin, int end) {
#pragma unroll
  for (int r = 0; r < 2; ++r) {
    const int seen = (causal != 0 ? min(seq, row + 8 * r + 1) : seq) - first_key - 2 * t;
#pragma unroll
    for (int n = begin / 8; n < end / 8; ++n) {
#pragma unroll
      for (int c = 0; c < 2; ++c) {
        if (8 * n + c >= seen) s[4 * n + 2 * r + c] = minus_infinity();
      }
    }
  }
}
