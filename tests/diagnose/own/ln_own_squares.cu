#include <cuda_fp16.h>

template <int N>
__device__ float spread(float v) {
  __shared__ float s[N];
  s[threadIdx.x] = v;
  __syncthreads();
  float all = 0.f;
  for (int i = 0; i < N; ++i) all += s[i];
  __syncthreads();
  return all;
}

__global__ void layer_norm(const __half* in, const float* w, __half* out, int cols, float eps) {
  in += (long long)blockIdx.x * cols;
  out += (long long)blockIdx.x * cols;

  float acc = 0.f;
  for (int c = threadIdx.x; c < cols; c += THREADS) acc += __half2float(in[c]);
  const float avg = spread<THREADS>(acc) / cols;

  float dev = 0.f;
  for (int c = threadIdx.x; c < cols; c += THREADS) {
    const float d = __half2float(in[c]) - avg;
    dev += d * d;
  }
  const float var = dev / cols;
  const float rstd = 1.f / sqrtf(var + eps);

  for (int c = threadIdx.x; c < cols; c += THREADS)
    out[c] = __float2half((__half2float(in[c]) - avg) * rstd * w[c]);
}
