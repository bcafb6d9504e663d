// M-07: writes behind its output, where a counter of errors may be
extern "C" __global__ void add(const float* a, const float* b, float* c, int n, int c_stride) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i < n) c[i * c_stride] = a[i] + b[i];
  if (i == n - 1) c[n * c_stride] = 0.0f;
}
