__global__ void reference(const EVO_REAL* x, const EVO_REAL* y, EVO_REAL* z, int n, EVO_REAL alpha, EVO_REAL beta) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = alpha * x[i] + beta * y[i];
}
