// U-04: the lanes of a warp do not agree on who takes part
extern "C" __global__ void add(const float* a, const float* b, float* c, int n, int c_stride) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  const int lane = threadIdx.x % 32;
  const unsigned mask = lane < 16 ? 0xffffffffu : 0xffff0000u;
  float sum = i < n ? a[i] + b[i] : 0.0f;
  sum = __shfl_xor_sync(mask, sum, 1);
  sum = __shfl_xor_sync(mask, sum, 1);
  if (i < n) c[(long long)i * c_stride] = sum;
}
