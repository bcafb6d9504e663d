// U-11: one member of a struct, and one half of a pair, are never set
#include <cuda_fp16.h>
struct Sums {
  float positive;
  float negative;
};
extern "C" __global__ void add(const float* a, const float* b, float* c, int n, int c_stride) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i >= n) return;
  Sums sums;
  sums.positive = 0;
  const float* const both[2] = {a, b};
  for (int k = 0; k < 2; ++k) {
    for (int e = i; e <= i && e < n; e += THREADS) {
      const float value = both[k][e];
      if (value > 0.0f) sums.positive += value;
      if (value <= 0.0f) sums.negative += value;
    }
  }
  c[(long long)i * c_stride] = sums.positive + sums.negative;
}
