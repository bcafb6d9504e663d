__global__ void reference(const EVO_REAL* x, EVO_REAL* y, EVO_REAL beta, int step, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] / (1 - pow(beta, (EVO_REAL)step));
}
