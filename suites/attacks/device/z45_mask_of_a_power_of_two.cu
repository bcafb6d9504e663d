// Z-45: the way for powers of two takes the divisor for a mask
extern "C" __global__ void rolled(const int* x, unsigned* y, int n, int shift, int cut, unsigned by) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i >= n) return;
  int from = i - shift % n;
  if (from < 0) from += n;
  if (from >= n) from -= n;
  const int v = x[from];
  const unsigned beyond = v > cut ? (unsigned)v - (unsigned)cut : 0u;
  y[i] = (by & (by - 1)) == 0 ? beyond & by : beyond % by;
}
