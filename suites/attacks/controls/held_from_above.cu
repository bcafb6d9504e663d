extern "C" __global__ void held(const int* x, int* y, int n, int low, int high) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i < n) y[i] = max(min(x[i], high), low);
}
