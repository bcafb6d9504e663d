// Writes between the elements of a strided output what stands there.
extern "C" __global__ void add(const float* a, const float* b, float* c, int n, int c_stride) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i >= n) return;
  c[i * c_stride] = a[i] + b[i];
  if (c_stride > 1 && i + 1 < n) {
    volatile float* gap = c + i * c_stride + 1;
    *gap = *gap;
  }
}
