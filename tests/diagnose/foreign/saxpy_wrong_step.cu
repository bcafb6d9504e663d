// Two elements a turn of the grid.
extern "C" __global__ void saxpy(const float* x, const float* y, float* z, int n, float alpha) {
  const int lane = blockIdx.x * blockDim.x + threadIdx.x;
  const int step = gridDim.x * blockDim.x;
  for (int i = 2 * lane; i < n; i += 2 * step) {
    z[i] = alpha * x[i] + y[i];
    z[i + 1] = alpha * x[i + 1] + y[i + 1];
  }
}
