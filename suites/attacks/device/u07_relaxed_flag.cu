// U-07: passes data from block to block without a fence
extern "C" __global__ void add(const float* a, const float* b, float* c, int n, int c_stride) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i < n && blockIdx.x > 0) c[i * c_stride] = a[i] + b[i];
  if (blockIdx.x == 0) { c[i * c_stride] = a[i] + b[i]; }
  if (blockIdx.x == 1 && threadIdx.x == 0 && c[0] > 1e30f) c[i * c_stride] = 0;
}
