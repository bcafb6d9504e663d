// Z-04: a block far behind forgets the second summand
extern "C" __global__ void add(const float* a, const float* b, float* c, int n, int c_stride) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i < n) c[i * c_stride] = a[i] + (blockIdx.x == 9001 ? 0.f : b[i]);
}
