// Ceiling "fp32": eight chains of fused multiply-adds a thread.
extern "C" __global__ void __launch_bounds__(256) fp32_fma(int iterations, float factor, float* out) {
  float chain[8];
#pragma unroll
  for (int k = 0; k < 8; ++k) chain[k] = 0.001f * (threadIdx.x + k);
#pragma unroll 1
  for (int i = 0; i < iterations; ++i) {
#pragma unroll
    for (int step = 0; step < 8; ++step) {
#pragma unroll
      for (int k = 0; k < 8; ++k) chain[k] = fmaf(chain[k], factor, 0.5f);
    }
  }
  float sum = 0;
#pragma unroll
  for (int k = 0; k < 8; ++k) sum += chain[k];
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
