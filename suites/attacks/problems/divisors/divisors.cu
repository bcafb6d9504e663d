extern "C" __global__ void divisors(unsigned* g, const unsigned* a, const unsigned* b, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned x = a[i], y = b[i];
  for (; y;) {
    const unsigned rest = x % y;
    x = y;
    y = rest;
  }
  g[i] = x;
}
