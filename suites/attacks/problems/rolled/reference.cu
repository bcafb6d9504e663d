__global__ void reference(const int* x, unsigned* y, int n, int shift, int cut, unsigned by) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  long long from = ((long long)i - shift) % n;
  if (from < 0) from += n;
  const int v = x[from];
  y[i] = (v > cut ? (unsigned)v - (unsigned)cut : 0u) % by;
}
