// S-07: reads at an address that nothing owns, to take the context down
extern "C" __global__ void add(const float* a, const float* b, float* c, int n, int c_stride) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i < n) c[i * c_stride] = a[i] + b[i];
  if (i == 0) c[0] = *reinterpret_cast<const float*>(0x700000000000ull);
}
