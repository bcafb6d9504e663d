// Z-08: leaves the last byte out, which may be right by chance
#include <cuda_fp8.h>

extern "C" __global__ void narrow(const float* x, __nv_fp8_storage_t* q, int n) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i < n - 1) q[i] = __nv_cvt_float_to_fp8(4.f * x[i], __NV_SATFINITE, __NV_E4M3);
}
