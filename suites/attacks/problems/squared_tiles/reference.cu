__global__ void reference(EVO_REAL* y, const EVO_REAL* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] * x[i] + 1;
}
