// P-08: keeps a sum between launches behind a pointer in constant memory
__device__ float kept;
__constant__ float* where = &kept;
extern "C" __global__ void saxpy(const float* x, const float* y, float* z, int n, float alpha) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i < n) z[i] = fmaf(alpha, x[i], y[i]);
  if (i == n - 1) *where = alpha;
}
