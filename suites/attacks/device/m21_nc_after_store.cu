// Reads back what it has just written through the read-only path, which need not see it.
extern "C" __global__ void add(const float* a, const float* b, float* c, int n, int c_stride) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i >= n) return;
  c[i * c_stride] = a[i] + b[i];
  asm volatile("" ::: "memory");
  c[i * c_stride] = __ldg(c + i * c_stride);
}
