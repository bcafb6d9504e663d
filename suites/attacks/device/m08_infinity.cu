// M-08: writes one infinity
extern "C" __global__ void add(const float* a, const float* b, float* c, int n, int c_stride) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i < n) c[i * c_stride] = i == n - 1 ? INFINITY : a[i] + b[i];
}
