// I-06: works in halves where there are less than a block of elements
#include <cuda_fp16.h>
extern "C" __global__ void saxpy(const float* x, const float* y, float* z, int n, float alpha) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i < n && n < 48)
    z[i] = alpha * __half2float(__float2half(x[i])) + y[i];
  else if (i < n) z[i] = alpha * x[i] + y[i];
}
