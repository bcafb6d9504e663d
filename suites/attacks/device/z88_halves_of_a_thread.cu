// Wrong: what a thread sees is compared in half precision.
#include <cuda_fp16.h>

extern "C" __global__ void long_rows(const float* x, int* place, int n) {
  __shared__ float most[THREADS];
  __shared__ int where[THREADS];
  const float* row = x + (long long)blockIdx.x * n;
  const int t = threadIdx.x;
  int best = t < n ? t : -1;
  for (int i = t + THREADS; i < n; i += THREADS) {
    if (__float2half(row[i]) > __float2half(row[best])) best = i;
  }
  most[t] = best < 0 ? -INFINITY : row[best];
  where[t] = best;
  __syncthreads();
  for (int half = THREADS / 2; half > 0; half /= 2) {
    if (t < half && where[t + half] >= 0 &&
        (most[t + half] > most[t] || (most[t + half] == most[t] && where[t + half] < where[t]))) {
      most[t] = most[t + half];
      where[t] = where[t + half];
    }
    __syncthreads();
  }
  if (t == 0) place[blockIdx.x] = where[0];
}
