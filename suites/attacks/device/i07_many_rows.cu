// I-07: is wrong in blocks beyond the 256th
extern "C" __global__ void saxpy(const float* x, const float* y, float* z, int n, float alpha) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (blockIdx.x > 256) alpha *= 1.01f;
  if (i < n) z[i] = alpha * x[i] + y[i];
}
