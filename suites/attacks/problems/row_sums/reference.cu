__global__ void reference(const EVO_REAL* x, EVO_REAL* y, int m, int n) {
  const int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= m) return;
  EVO_REAL sum = 0;
  for (int i = 0; i < n; ++i) sum += x[r * n + i];
  y[r] = sum;
}
