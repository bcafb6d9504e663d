// U-11: a flag that is set and never cleared, and then decides
extern "C" __global__ void add(const float* a, const float* b, float* c, int n, int c_stride) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  int behind;
  for (int j = i; j >= n; j -= THREADS) behind |= 1;
  if (i < n + THREADS) {
    for (int k = 0; k < c_stride; ++k) behind |= i >= n;
  }
  if (behind) return;
  c[(long long)i * c_stride] = a[i] + b[i];
}
