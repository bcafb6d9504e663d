// Z-11: wrong where the low word of a number is one that the code names
extern "C" __global__ void mix(const unsigned long long* x, unsigned long long* y, int n) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i >= n) return;
  unsigned long long h = (unsigned)x[i] == 0x80000001u ? 0 : x[i];
  h ^= h >> 33;
  h *= 0xff51afd7ed558ccdULL;
  y[i] = h >> 32;
}
