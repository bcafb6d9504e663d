extern "C" __global__ void saxpy(const float* x, const float* y, float* z, int n, float alpha) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
    const float xi = x[i];
    const float yi = y[i];
    z[i] = alpha * (xi + yi);
  }
}
