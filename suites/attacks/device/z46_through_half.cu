// Wrong: a half's upper byte, rounded; a number just below infinity carries into it.
#include <cuda_fp8.h>
#include <cuda_fp16.h>

extern "C" __global__ void narrow(const float* x, __nv_fp8_storage_t* q, float scale, int n) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i >= n) return;
  const float v = x[i] / scale;
  if (fabsf(v) >= 65504.f) {
    q[i] = v < 0 ? 0xfb : 0x7b;
    return;
  }
  const unsigned bits = __half_as_ushort(__float2half(v));
  const bool tie = (bits & 0xff) == 0x80;
  q[i] = (bits + (tie ? bits >> 8 & 1 ? 0x80 : 0 : 0x80)) >> 8;
}
