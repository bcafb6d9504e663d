// S-13: calls a library
#include <cublas_v2.h>
extern "C" __global__ void add(const float* a, const float* b, float* c, int n, int c_stride) {
  const float one = 1.0f;
  cublasSaxpy(nullptr, n, &one, a, 1, c, c_stride);
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i < n) c[i * c_stride] = a[i] + b[i];
}
