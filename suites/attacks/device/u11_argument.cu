// U-11: a start value that is handed to a function, and was never set
__device__ __noinline__ float dot(const float* x, float weight, int count, int stride, float start) {
  for (int k = 0; k < count; ++k) start = fmaf(weight, x[k * stride], start);
  return start;
}
extern "C" __global__ void saxpy(const float* x, const float* y, float* z, int n, float alpha) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i >= n) return;
  float start;
  if (n < 0) start = y[i];
  for (int k = 0; k < (int)gridDim.y; ++k) start = dot(x + i, alpha, 1, 1, start);
  z[i] = start + y[i];
}
