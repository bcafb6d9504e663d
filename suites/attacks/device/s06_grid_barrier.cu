// S-06: waits for blocks that cannot all be resident
extern "C" __global__ void add(const float* a, const float* b, float* c, int n, int c_stride) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i < n) c[i * c_stride] = a[i] + b[i];
  if (i >= n) return;
  volatile float* flag = c;
  while (blockIdx.x == 0 && flag[(n - 1) * c_stride] == 0.125f) {
  }
}
