// The softmax of a warp, step by step (Milakov and Gimelshein's online form), in mma fragments: S comes as C
// fragments of mma.m16n8k16, P goes into the product with V as A fragments, O stays in registers as C
// fragments.
#pragma once

#include "evo_exp2.cuh"
#include "evo_fragment.cuh"

constexpr float LOG2_E = 1.4426950408889634f;

__device__ __forceinline__ float minus_infinity() {
  return __int_as_float(0xff800000);
}

// 0 for -infinity: what to subtract where nothing is visible yet, so that 2^(-infinity - 0) = 0 and no NaN.
__device__ __forceinline__ float finite(float value) {
  return value == minus_infinity() ? 0.0f : value;
}

// Over the four lanes that share a row.
__device__ __forceinline__ float row_maximum(float value) {
  value = fmaxf(value, __shfl_xor_sync(0xffffffffu, value, 1));
  return fmaxf(value, __shfl_xor_sync(0xffffffffu, value, 2));
}
__device__ __forceinline__ float row_total(float value) {
  value += __shfl_xor_sync(0xffffffffu, value, 1);
  return value + __shfl_xor_sync(0xffffffffu, value, 2);
}

// When sums and O are rescaled: at each step; if a maximum of the warp grew; or if one grew so much that P
// would exceed 2^8, which is far from the largest half, 65504.
enum class Rescale { always, vote, lazy };

// e^(scale * (s - reference)). FOLDED: as 2^(s * scale * log2(e) + folded), one multiply-add;
// POLYNOMIAL > 0: every POLYNOMIAL-th `element` without the special-function unit.
template <bool FOLDED, int POLYNOMIAL>
__device__ __forceinline__ float weight(float s, float reference, float folded, float scale, int element) {
  const float exponent = FOLDED ? fmaf(s, scale * LOG2_E, folded) : ((s - reference) * scale) * LOG2_E;
  if (POLYNOMIAL > 0 && element % (POLYNOMIAL > 0 ? POLYNOMIAL : 1) == 0) return exp2_polynomial(exponent);
  return exp2_hardware(exponent);
}

// A warp's softmax and output so far, for M_TILES tiles of 16 rows, of which row 8 * half + lane / 4 has
// maximum[m][half], and D_TILES column tiles of O. SUM_BY_MMA: row sums by a product of P with ones.
template <int M_TILES, int D_TILES, Rescale RESCALING, bool SUM_BY_MMA, bool FOLDED, int POLYNOMIAL>
struct OnlineSoftmax {
  float maximum[M_TILES][2];
  // The lane's own part of the row sum [m][half]; with SUM_BY_MMA [m][2 * half] is the whole sum.
  float sum[M_TILES][SUM_BY_MMA ? 4 : 2];
  float out[M_TILES][D_TILES][4];

  __device__ __forceinline__ OnlineSoftmax() {
#pragma unroll
    for (int m = 0; m < M_TILES; ++m) {
      maximum[m][0] = maximum[m][1] = minus_infinity();
#pragma unroll
      for (float& value : sum[m]) value = 0.0f;
#pragma unroll
      for (auto& tile : out[m]) {
#pragma unroll
        for (float& value : tile) value = 0.0f;
      }
    }
  }

  // Takes a step's maxima in, and rescales what was summed with older ones.
  template <int N_TILES>
  __device__ __forceinline__ void raise_maximum(const float (&s)[M_TILES][N_TILES][4], float scale) {
    float top[M_TILES][2];
    bool grown = false;
#pragma unroll
    for (int m = 0; m < M_TILES; ++m) {
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        float value = fmaxf(s[m][0][half * 2], s[m][0][half * 2 + 1]);
#pragma unroll
        for (int n = 1; n < N_TILES; ++n) {
          value = fmaxf(value, fmaxf(s[m][n][half * 2], s[m][n][half * 2 + 1]));
        }
        top[m][half] = row_maximum(value);
        // Lazy: not-a-number, and false, where both are -infinity.
        grown |= RESCALING == Rescale::lazy ? (top[m][half] - maximum[m][half]) * (scale * LOG2_E) > 8.0f
                                            : top[m][half] > maximum[m][half];
      }
    }
    if (RESCALING != Rescale::always && !__any_sync(0xffffffffu, grown)) return;
#pragma unroll
    for (int m = 0; m < M_TILES; ++m) {
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const float raised = fmaxf(maximum[m][half], top[m][half]);
        const float alpha = exp2_hardware((maximum[m][half] - finite(raised)) * (scale * LOG2_E));
        maximum[m][half] = raised;
        sum[m][SUM_BY_MMA ? half * 2 : half] *= alpha;
#pragma unroll
        for (int n = 0; n < D_TILES; ++n) {
          out[m][n][half * 2] *= alpha;
          out[m][n][half * 2 + 1] *= alpha;
        }
      }
    }
  }

  // P = e^(scale * (S - maximum)) of 16 keys, the column tiles `first` and `first + 1` of S, as A fragments.
  template <int N_TILES>
  __device__ __forceinline__ void weigh(unsigned (&p)[M_TILES][4], const float (&s)[M_TILES][N_TILES][4],
                                        int first, float scale) {
#pragma unroll
    for (int m = 0; m < M_TILES; ++m) {
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const float reference = finite(maximum[m][half]);
        const float folded = -reference * (scale * LOG2_E);
#pragma unroll
        for (int n = 0; n < 2; ++n) {
          const int element = ((first + n) * M_TILES + m) * 4 + half * 2;
          const float low =
              weight<FOLDED, POLYNOMIAL>(s[m][first + n][half * 2], reference, folded, scale, element);
          const float high = weight<FOLDED, POLYNOMIAL>(s[m][first + n][half * 2 + 1], reference, folded,
                                                        scale, element + 1);
          if (!SUM_BY_MMA) sum[m][half] += low + high;
          p[m][n * 2 + half] = pack_halves(low, high);
        }
      }
    }
  }

  // Adds P's row sums, where they are products with ones.
  __device__ __forceinline__ void add_sums(const unsigned (&p)[M_TILES][4]) {
    if constexpr (SUM_BY_MMA) {
      constexpr unsigned ONES = 0x3c003c00u;
#pragma unroll
      for (int m = 0; m < M_TILES; ++m) mma_16x8x16(sum[m], p[m], ONES, ONES);
    }
  }

  // A row's sum, whole in each of its four lanes.
  __device__ __forceinline__ float row_sum(int m, int half) const {
    if constexpr (SUM_BY_MMA) {
      return sum[m][half * 2];
    } else {
      return row_total(sum[m][half]);
    }
  }
};
