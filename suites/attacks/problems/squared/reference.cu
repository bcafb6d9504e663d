__global__ void reference(const EVO_REAL* x, EVO_REAL* y, int n, EVO_REAL c) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = c * c * x[i] + x[i];
}
