// Z-45: a threshold below 0 is taken for 0
extern "C" __global__ void rolled(const int* x, unsigned* y, int n, int shift, int cut, unsigned by) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i >= n) return;
  int from = i - shift % n;
  if (from < 0) from += n;
  if (from >= n) from -= n;
  const int v = x[from];
  y[i] = (unsigned)max(v - max(cut, 0), 0) % by;
}
