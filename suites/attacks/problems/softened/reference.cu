__global__ void reference(const EVO_REAL* x, EVO_REAL* y, EVO_REAL* s, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const EVO_REAL v = x[i];
  y[i] = v > 0 ? v + log1p(exp(-v)) : log1p(exp(v));
  s[i] = v >= 0 ? 1 / (1 + exp(-v)) : exp(v) / (1 + exp(v));
}
