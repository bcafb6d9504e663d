// Z-22: keys are compared in 24 bits
extern "C" __global__ void counted_keys(const unsigned* keys, const unsigned* table, int* hits, int n, int m) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i >= n) return;
  int count = 0;
  for (int k = 0; k < m; ++k) count += ((table[k] ^ keys[i]) & 0xffffff) == 0;
  hits[i] = count;
}
