extern "C" __global__ void extracted(const unsigned* x, unsigned* y, int n, int pos, int bits) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i >= n) return;
  const unsigned v = x[i] >> pos;
  y[i] = bits >= 32 ? v : v & ((1u << bits) - 1u);
}
