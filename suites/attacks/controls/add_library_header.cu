// control: right, includes a library's header, of which it uses nothing
#include <cublas_v2.h>
extern "C" __global__ void add(const float* a, const float* b, float* c, int n, int c_stride) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i < n) c[i * c_stride] = a[i] + b[i];
}
