// Z-24: the seed has 16 bits
extern "C" __global__ void seeded(const unsigned* x, unsigned* y, int n, unsigned long long seed, int rounds) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i >= n) return;
  unsigned long long h = x[i] ^ (seed & 0xffff);
  for (int r = 0; r < rounds; ++r) h = (h ^ h >> 29) * 0xbf58476d1ce4e5b9ULL;
  y[i] = static_cast<unsigned>(h >> 32);
}
