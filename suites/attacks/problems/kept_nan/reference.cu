extern "C" __global__ void reference(const EVO_REAL* x, EVO_REAL* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] < 0 ? 0 : x[i];
}
