// A thread an element; the conversion clamps.
#include <cuda_fp8.h>

extern "C" __global__ void narrow(const float* x, __nv_fp8_storage_t* q, float scale, int n) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i < n) q[i] = __nv_cvt_float_to_fp8(x[i] / scale, __NV_SATFINITE, __NV_E5M2);
}
