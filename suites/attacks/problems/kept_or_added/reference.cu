extern "C" __global__ void reference(const EVO_REAL* a, const EVO_REAL* b, EVO_REAL* c, int n, int added) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const EVO_REAL re = a[2 * i] * b[2 * i] - a[2 * i + 1] * b[2 * i + 1];
  const EVO_REAL im = a[2 * i] * b[2 * i + 1] + a[2 * i + 1] * b[2 * i];
  c[2 * i] = added ? c[2 * i] + re : re;
  c[2 * i + 1] = added ? c[2 * i + 1] + im : im;
}
