extern "C" __global__ void reference(const EVO_REAL* x, EVO_REAL* y, int rows, int n, int k) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rows * n) return;
  const int r = i / n, to = ((i % n + k) % n + n) % n;
  y[r * n + to] = x[i];
}
