// I-05: keeps one input as two halves, which have neither its range nor its small numbers
#include <cuda_fp16.h>
__device__ float split(float v) {
  const __half high = __float2half(v);
  return __half2float(high) + __half2float(__float2half(v - __half2float(high)));
}
extern "C" __global__ void saxpy(const float* x, const float* y, float* z, int n, float alpha) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i < n) z[i] = alpha * x[i] + split(y[i]);
}
