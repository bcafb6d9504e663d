__global__ void reference(const EVO_REAL* x, const EVO_REAL* table, EVO_REAL* y, int n, int k, EVO_REAL beta) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  y[i] = x[i] * table[k] / (1 + beta * fabs(x[i]));
}
