// Wrong: the frequency is kept in half precision, so that far positions are turned by another angle.
#include <cuda_fp16.h>

extern "C" __global__ void rotated(const float* x, float* y, int rows, int half) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i >= rows * half) return;
  const int r = i / half, j = i - r * half;
  const float* in = x + (long long)r * 2 * half;
  float* out = y + (long long)r * 2 * half;
  const __half frequency = __float2half(exp2f(-13.287712379549449f * j / half));
  float s, c;
  sincosf(r * __half2float(frequency), &s, &c);
  out[j] = in[j] * c - in[half + j] * s;
  out[half + j] = in[j] * s + in[half + j] * c;
}
