// Correct: shifts and differences in the place of remainders.
extern "C" __global__ void divisors(unsigned* g, const unsigned* a, const unsigned* b, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned x = a[i], y = b[i];
  if (x == 0 || y == 0) {
    g[i] = x | y;
    return;
  }
  const int twos = __ffs(x | y) - 1;
  x >>= __ffs(x) - 1;
  while (y != 0) {
    y >>= __ffs(y) - 1;
    if (x > y) {
      const unsigned t = x;
      x = y;
      y = t;
    }
    y -= x;
  }
  g[i] = x << twos;
}
