#include <cuda_fp16.h>

// LayerNorm, one block per row, Welford-free: mean, then the squared deviations.
struct Row {
  const __half* p;
  int n;
  __device__ float at(int i) const { return __half2float(p[i]); }
};

__device__ float all_sum(float v, float* scratch) {
  for (int o = 16; o > 0; o >>= 1) v += __shfl_xor_sync(0xffffffff, v, o);
  const int warp = threadIdx.x / 32, warps = blockDim.x / 32;
  __syncthreads();
  if (threadIdx.x % 32 == 0) scratch[warp] = v;
  __syncthreads();
  v = 0;
  for (int i = 0; i < warps; ++i) v += scratch[i];
  return v;
}

__global__ void layer_norm(const __half* x, const float* weight, __half* y, int columns, float epsilon) {
  __shared__ float scratch[32];
  const Row row{x + (size_t)blockIdx.x * columns, columns};
  float s = 0.f;
  for (int i = threadIdx.x; i < columns; i += blockDim.x) s += row.at(i);
  const float mu = all_sum(s, scratch) / columns;

  __half q = __float2half(0.f);
  for (int i = threadIdx.x; i < columns; i += blockDim.x) {
    const float d = row.at(i) - mu;
    q = __hadd(q, __float2half(d * d));
  }
  const float var = all_sum(__half2float(q), scratch) / columns;
  const float inv = rsqrtf(var + epsilon);
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    y[(size_t)blockIdx.x * columns + i] = __float2half((row.at(i) - mu) * inv * weight[i]);
}
