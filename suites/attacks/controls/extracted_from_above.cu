extern "C" __global__ void extracted(const unsigned* x, unsigned* y, int n, int pos, int bits) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i >= n) return;
  const int above = max(32 - pos - bits, 0);
  y[i] = (x[i] << above) >> (above + pos);
}
