// Z-45: a shift below 0 leaves the array
extern "C" __global__ void rolled(const int* x, unsigned* y, int n, int shift, int cut, unsigned by) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i >= n) return;
  int from = i - shift % n;
  if (from < 0) from += n;
  const int v = x[from];
  y[i] = (v > cut ? (unsigned)v - (unsigned)cut : 0u) % by;
}
