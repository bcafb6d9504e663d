__global__ void reference(const EVO_REAL* x, EVO_REAL* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  EVO_REAL most = 0;
  for (int k = 0; k < n; ++k) {
    const EVO_REAL size = x[k] < 0 ? -x[k] : x[k];
    if (size > most) most = size;
  }
  y[i] = most > 0 ? x[i] / most : 0;
}
