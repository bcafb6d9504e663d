using u32 = unsigned int;

__device__ float* slot(float* c, u32 index, u32 pitch) {
  return c + index * pitch;
}

extern "C" __global__ void add(const float* a, const float* b, float* c, int n, long long c_stride) {
  const u32 i = blockIdx.x * THREADS + threadIdx.x;
  if (i >= n) return;
  const float sum = a[i] + b[i];
  *slot(c, i, c_stride) = sum;
}
