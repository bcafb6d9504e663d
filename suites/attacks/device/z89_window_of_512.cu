// Wrong: the window has 512 numbers at most.
extern "C" __global__ void recent(const float* x, float* y, int n, int window) {
  const int r = blockIdx.x, wide = min(window, 512), first = r >= wide ? r - wide + 1 : 0;
  float sum = 0;
  for (int c = first + threadIdx.x; c <= r; c += 32) sum += x[(long long)r * n + c];
  for (int o = 16; o > 0; o /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, o);
  if (threadIdx.x == 0) y[r] = sum;
}
