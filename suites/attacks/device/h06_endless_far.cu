// H-06: never ends for sizes beyond 17 bits
extern "C" __global__ void add(const float* a, const float* b, float* c, int n, int c_stride) {
  while (n > 131072) {
  }
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i < n) c[i * c_stride] = a[i] + b[i];
}
