// U-04: adds up what lanes hold that have left
extern "C" __global__ void add(const float* a, const float* b, float* c, int n, int c_stride) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i >= n) return;
  const float x = a[i];
  float zero = x - x;
  for (int k = 16; k > 0; k /= 2) zero += __shfl_down_sync(0xffffffffu, zero, k);
  c[(long long)i * c_stride] = x + b[i] + zero;
}
