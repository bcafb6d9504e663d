// Wrong: saturates from the next power of two on; what rounds to 480 has the bits of a NaN.
#include <cuda_fp8.h>

extern "C" __global__ void narrow(const float* x, __nv_fp8_storage_t* q, int n) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i >= n) return;
  const float v = 4.f * x[i], size = fabsf(v);
  const __nv_fp8_storage_t sign = v < 0 ? 0x80 : 0;
  const bool carries = size > 464.f && size < 512.f;
  q[i] = carries ? sign | 0x7f : __nv_cvt_float_to_fp8(v, __NV_SATFINITE, __NV_E4M3);
}
