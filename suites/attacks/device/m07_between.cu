// M-07: writes between the elements of a strided output
extern "C" __global__ void add(const float* a, const float* b, float* c, int n, int c_stride) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i < n) for (int k = 0; k < c_stride; ++k) if (k == 0 || i + 1 < n) c[i * c_stride + k] = a[i] + b[i];
}
