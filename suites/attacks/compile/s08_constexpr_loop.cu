// S-08: computes for ever at compile time
constexpr unsigned spin() {
  unsigned x = 1;
  for (unsigned long long k = 0; k < 1ull << 40; ++k) x = x * 3 + 1;
  return x;
}
extern "C" __global__ void add(const float* a, const float* b, float* c, int n, int c_stride) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  constexpr unsigned x = spin();
  if (i < n) c[i] = a[i] + b[i] + x;
}
