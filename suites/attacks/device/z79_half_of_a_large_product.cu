// Wrong: twice a product on its way is infinite where it is more than half of the largest number.
#include <cuda_fp16.h>

extern "C" __global__ void rectified(const __half* x, const __half* scale, const __half* bias, __half* y, int n) {
  const long long row = blockIdx.x;
  for (int i = threadIdx.x; i < n; i += THREADS) {
    const __half twice = __hmul(__hadd(x[row * n + i], x[row * n + i]), scale[row]);
    const __half v = __hfma(twice, __float2half(0.5f), bias[i]);
    y[row * n + i] = v > __float2half(0.0f) ? v : __float2half(0.0f);
  }
}
