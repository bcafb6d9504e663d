__global__ void reference(const EVO_REAL* x, EVO_REAL* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const EVO_REAL v = x[i];
  y[i] = isnan(v) ? 0 : isinf(v) ? (v > 0 ? 100 : -100) : v;
}
