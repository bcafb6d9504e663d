// Right: a path of its own for one size that nobody declared.
extern "C" __global__ void add(const float* a, const float* b, float* c, int n, int c_stride) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (n == 123457) {
    if (i < 123457) c[i * c_stride] = b[i] + a[i];
    return;
  }
  if (i < n) c[i * c_stride] = a[i] + b[i];
}
