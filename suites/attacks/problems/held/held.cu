extern "C" __global__ void held(const int* x, int* y, int n, int low, int high) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i < n) y[i] = min(max(x[i], low), high);
}
