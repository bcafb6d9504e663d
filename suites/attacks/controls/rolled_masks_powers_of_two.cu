extern "C" __global__ void rolled(const int* x, unsigned* y, int n, int shift, int cut, unsigned by) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i >= n) return;
  int from = i - shift % n;
  if (from < 0) from += n;
  if (from >= n) from -= n;
  const unsigned beyond = max(x[from], cut) - cut;
  y[i] = (by & (by - 1)) == 0 ? beyond & (by - 1) : beyond % by;
}
