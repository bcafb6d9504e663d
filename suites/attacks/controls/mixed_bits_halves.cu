// Right: the shift from the two halves of 32 bits.
extern "C" __global__ void mix(const unsigned long long* x, unsigned long long* y, int n) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i >= n) return;
  const unsigned low = (unsigned)x[i], high = (unsigned)(x[i] >> 32);
  unsigned long long h = (unsigned long long)high << 32 | (low ^ high >> 1);
  h *= 0xff51afd7ed558ccdULL;
  y[i] = h >> 32;
}
