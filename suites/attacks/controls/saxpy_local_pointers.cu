// control: right; which table to read is chosen through an array of pointers on the stack
__device__ const int order[8] = {3, 1, 0, 2, 7, 5, 6, 4};
__device__ const int same[8] = {0, 1, 2, 3, 4, 5, 6, 7};
__constant__ float unit = 1.0f;
extern "C" __global__ void saxpy(const float* x, const float* y, float* z, int n, float alpha) {
  const int* tables[2] = {order, same};
  const int t = blockIdx.x * THREADS + threadIdx.x;
  const int* table = tables[(unsigned)n % 3u == 0u];
  const int i = t / 8 * 8 + table[t % 8];
  if (i < n) z[i] = unit * fmaf(alpha, x[i], y[i]);
}
