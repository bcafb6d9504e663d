#include <cuda_fp16.h>

__device__ float total(float v, float* tmp) {
  tmp[threadIdx.x] = v;
  __syncthreads();
  for (int n = THREADS; n > 1; n /= 2) {
    if (threadIdx.x < n / 2) tmp[threadIdx.x] += tmp[threadIdx.x + n / 2];
    __syncthreads();
  }
  const float sum = tmp[0];
  __syncthreads();
  return sum;
}

__global__ void layer_norm(const __half* x, const float* g, __half* y, int columns, float epsilon) {
  __shared__ float tmp[THREADS];
  const size_t row = (size_t)blockIdx.x * columns;
  float a = 0;
  for (int k = threadIdx.x; k < columns; k += THREADS) a += __half2float(x[row + k]);
  const float mean = total(a, tmp) / columns;
  float b = 0;
  for (int k = threadIdx.x; k < columns; k += THREADS) {
    const float away = __half2float(x[row + k]) - mean;
    b = fmaf(away, away, b);
  }
  const float variance = total(b, tmp) / columns;
  const float spread = variance + epsilon;
  for (int k = threadIdx.x; k < columns; k += THREADS)
    y[row + k] = __float2half((__half2float(x[row + k]) - mean) / spread * g[k]);
}
