__global__ void reference(const EVO_REAL* x, EVO_REAL* y, int n, EVO_REAL t, EVO_REAL v) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] > t ? x[i] : v;
}
