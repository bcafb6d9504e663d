// Wrong: 40 steps, and neighbours in Fibonacci's sequence take 46.
extern "C" __global__ void divisors(unsigned* g, const unsigned* a, const unsigned* b, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned x = a[i], y = b[i];
  for (int step = 0; step < 40 && y; ++step) {
    const unsigned rest = x % y;
    x = y;
    y = rest;
  }
  g[i] = x;
}
