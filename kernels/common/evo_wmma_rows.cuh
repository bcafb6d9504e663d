// Template wmma: reductions of the softmax over the THREADS_PER_ROW lanes that share a row.
#pragma once

#include "evo_wmma_traits.cuh"

__device__ __forceinline__ float maximum_of_row(float top) {
#pragma unroll
  for (int step = THREADS_PER_ROW / 2; step > 0; step /= 2) {
    top = fmaxf(top, __shfl_xor_sync(0xffffffffu, top, step));
  }
  return top;
}
__device__ __forceinline__ float sum_of_row(float sum) {
#pragma unroll
  for (int step = THREADS_PER_ROW / 2; step > 0; step /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, step);
  return sum;
}
