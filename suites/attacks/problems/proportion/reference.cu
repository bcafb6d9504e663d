extern "C" __global__ void reference(const EVO_REAL* a, const EVO_REAL* b, EVO_REAL* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const EVO_REAL squares = a[i] * a[i] + b[i] * b[i];
  y[i] = 0;
  if (squares > 0) y[i] = a[i] * b[i] / squares;
}
