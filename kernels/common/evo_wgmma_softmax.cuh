// Template hopper: the softmax of a tile of S that a warpgroup holds in wgmma's layout of accumulators, and the
// mask. The template defines its genes, minus_infinity() and pack_halves() before it includes this.
#pragma once

// The running softmax of the two rows that a thread shares with the other three lanes of its quad: lane / 4
// and 8 below.
struct Softmax {
  float top[2] = {minus_infinity(), minus_infinity()};  // as an exponent of two
  float sum[2] = {0.0f, 0.0f};                          // of this thread's columns
  float alpha[2];                                       // factors for what was summed so far

  // S becomes P; `factor` turns a logit into a power of two.
  __device__ __forceinline__ void step(float (&s)[BLOCK_N / 2], float factor) {
#pragma unroll
    for (int r = 0; r < 2; ++r) {
      float most[4] = {s[2 * r], s[2 * r + 1], s[2 * r + 4], s[2 * r + 5]};
#pragma unroll
      for (int n = 2; n < BLOCK_N / 8; n += 2) {
        most[0] = fmaxf(most[0], s[4 * n + 2 * r]);
        most[1] = fmaxf(most[1], s[4 * n + 2 * r + 1]);
        most[2] = fmaxf(most[2], s[4 * n + 4 + 2 * r]);
        most[3] = fmaxf(most[3], s[4 * n + 4 + 2 * r + 1]);
      }
      float highest = fmaxf(fmaxf(most[0], most[1]), fmaxf(most[2], most[3]));
      highest = fmaxf(highest, __shfl_xor_sync(0xffffffffu, highest, 1));
      highest = fmaxf(highest, __shfl_xor_sync(0xffffffffu, highest, 2));
      highest = fmaxf(highest * factor, top[r]);
#if RESCALE == RESCALE_lazy
      if (highest - top[r] <= RESCALE_THRESHOLD) highest = top[r];
#endif
      // A row that has seen no key yet stays at minus infinity; its P are exp2(-inf - 0) = 0.
      const float base = highest == minus_infinity() ? 0.0f : highest;
      alpha[r] = exp2_hardware(top[r] - base);
      top[r] = highest;
      float sums[2] = {sum[r] * alpha[r], 0.0f};
#pragma unroll
      for (int n = 0; n < BLOCK_N / 8; ++n) {
#pragma unroll
        for (int c = 0; c < 2; ++c) {
          float& element = s[4 * n + 2 * r + c];
          const float power = fmaf(element, factor, -base);
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

  __device__ __forceinline__ void finish() {
#pragma unroll
    for (int r = 0; r < 2; ++r) {
      sum[r] += __shfl_xor_sync(0xffffffffu, sum[r], 1);
      sum[r] += __shfl_xor_sync(0xffffffffu, sum[r], 2);
    }
  }
};

__device__ __forceinline__ void pack_probabilities(const float (&s)[BLOCK_N / 2],
                                                   unsigned (&p)[BLOCK_N / 4]) {
#pragma unroll
  for (int i = 0; i < BLOCK_N / 4; ++i) p[i] = pack_halves(s[2 * i], s[2 * i + 1]);
}

// Minus infinity where `row` (and row + 8) must not see the key; `first_key` is the tile's.
__device__ __forceinline__ void mask(float (&s)[BLOCK_N / 2], int first_key, int row, int seq, int causal,
                                     int t) {
#pragma unroll
  for (int r = 0; r < 2; ++r) {
    const int end = (causal != 0 ? min(seq, row + 8 * r + 1) : seq) - first_key - 2 * t;
#pragma unroll
    for (int n = 0; n < BLOCK_N / 8; ++n) {
#pragma unroll
      for (int c = 0; c < 2; ++c) {
        if (8 * n + c >= end) s[4 * n + 2 * r + c] = minus_infinity();
      }
    }
  }
}
