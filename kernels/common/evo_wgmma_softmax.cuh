// Template hopper: the online softmax of a tile of S in wgmma's layout of accumulators, and the mask. The template
// defines its genes before it includes this.
#pragma once

#include "evo_exp2.cuh"
#include "evo_fragment.cuh"
#include "evo_wgmma_traits.cuh"

constexpr float LOG2_E = 1.4426950408889634f;

// RESCALE lazy: by how much a row's maximum may lag behind, as an exponent of two. P then stays below 2^8, far from
// FP16's largest number.
[[maybe_unused]] constexpr float RESCALE_THRESHOLD = 8.0f;

__device__ __forceinline__ float minus_infinity() {
  return __int_as_float(0xff800000);
}

// Of the two rows that a thread shares with the other three lanes of its quad: lane / 4, and 8 below. Maxima are
// exponents of two: logits times softmax_scale_log2 = scale * log2(e).
struct Softmax {
  float row_max[2] = {minus_infinity(), minus_infinity()};
  float row_sum[2] = {0.0f, 0.0f};  // of this thread's columns
  float subtrahend[2];              // row_max, or 0 where that is minus infinity
  float alpha[2];                   // 2^(old maximum - new maximum)
  float tile_max[2][4];             // of this thread's columns of the tile so far, in four chains

  // Takes columns begin .. end - 1 of S into tile_max; the tile's first columns start it anew.
  __device__ __forceinline__ void update_tile_max(const float (&s)[BLOCK_N / 2], int begin, int end) {
#pragma unroll
    for (int r = 0; r < 2; ++r) {
#pragma unroll
      for (int n = begin / 8; n < end / 8; n += 2) {
#pragma unroll
        for (int e = 0; e < 4; ++e) {
          const float value = s[4 * n + e / 2 * 4 + 2 * r + e % 2];
          tile_max[r][e] = n == 0 ? value : fmaxf(tile_max[r][e], value);
        }
      }
    }
  }

  // Reduces tile_max over the row, raises row_max to it, and rescales row_sum.
  __device__ __forceinline__ void update_row_max(float softmax_scale_log2) {
#pragma unroll
    for (int r = 0; r < 2; ++r) {
      float new_max = fmaxf(fmaxf(tile_max[r][0], tile_max[r][1]), fmaxf(tile_max[r][2], tile_max[r][3]));
      new_max = fmaxf(new_max, __shfl_xor_sync(0xffffffffu, new_max, 1));
      new_max = fmaxf(new_max, __shfl_xor_sync(0xffffffffu, new_max, 2));
      new_max = fmaxf(new_max * softmax_scale_log2, row_max[r]);
      if (RESCALE == RESCALE_lazy && new_max - row_max[r] <= RESCALE_THRESHOLD) new_max = row_max[r];
      // A row that has seen no key yet stays at minus infinity; its P are 2^(-inf - 0) = 0.
      subtrahend[r] = new_max == minus_infinity() ? 0.0f : new_max;
      alpha[r] = exp2_hardware(row_max[r] - subtrahend[r]);
      row_max[r] = new_max;
      row_sum[r] *= alpha[r];
    }
  }

  // Turns columns begin .. end - 1 of S into P = 2^(s * softmax_scale_log2 - maximum), and adds them to row_sum. Every
  // EXP_POLYNOMIAL-th is a polynomial on the FMA pipe, which relieves the special-function units.
  __device__ __forceinline__ void exp2_scores(float (&s)[BLOCK_N / 2], float softmax_scale_log2, int begin,
                                              int end) {
#pragma unroll
    for (int r = 0; r < 2; ++r) {
      float sums[2] = {row_sum[r], 0.0f};
#pragma unroll
      for (int n = begin / 8; n < end / 8; ++n) {
#pragma unroll
        for (int c = 0; c < 2; ++c) {
          float& element = s[4 * n + 2 * r + c];
          const float exponent = fmaf(element, softmax_scale_log2, -subtrahend[r]);
#if EXP_POLYNOMIAL > 0
          element = (2 * n + c) % EXP_POLYNOMIAL == 0 ? exp2_polynomial(exponent) : exp2_hardware(exponent);
#else
          element = exp2_hardware(exponent);
#endif
          sums[c] += element;
        }
      }
      row_sum[r] = sums[0] + sums[1];
    }
  }

  __device__ __forceinline__ void rescale_o(float (&o)[HEAD_DIM / 2]) const {
    if (RESCALE == RESCALE_lazy && __all_sync(0xffffffffu, alpha[0] == 1.0f && alpha[1] == 1.0f)) return;
#pragma unroll
    for (int i = 0; i < HEAD_DIM / 2; ++i) o[i] *= alpha[i / 2 % 2];
  }
};

// Over the four lanes that share a row.
__device__ __forceinline__ float quad_allreduce_sum(float sum) {
  sum += __shfl_xor_sync(0xffffffffu, sum, 1);
  return sum + __shfl_xor_sync(0xffffffffu, sum, 2);
}

// P of columns begin .. end - 1 as the A fragments of the product with V.
__device__ __forceinline__ void convert_p(const float (&s)[BLOCK_N / 2], unsigned (&p)[BLOCK_N / 4],
                                          int begin, int end) {
#pragma unroll
  for (int i = begin / 4; i < end / 4; ++i) p[i] = pack_halves(s[2 * i], s[2 * i + 1]);
}

// Sets columns begin .. end - 1 of S to minus infinity where `row` (and row + 8) must not see the key. `first_key`:
// of the tile; `quad_lane`: lane % 4.
__device__ __forceinline__ void apply_mask(float (&s)[BLOCK_N / 2], int first_key, int row, int seq,
                                           int causal, int quad_lane, int begin, int end) {
#pragma unroll
  for (int r = 0; r < 2; ++r) {
    const int visible = (causal != 0 ? min(seq, row + 8 * r + 1) : seq) - first_key - 2 * quad_lane;
#pragma unroll
    for (int n = begin / 8; n < end / 8; ++n) {
#pragma unroll
      for (int c = 0; c < 2; ++c) {
        if (8 * n + c >= visible) s[4 * n + 2 * r + c] = minus_infinity();
      }
    }
  }
}
