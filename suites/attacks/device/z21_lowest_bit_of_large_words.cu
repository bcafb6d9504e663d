// Z-21: the lowest bit of what is beyond 2^60 is lost
extern "C" __global__ void long_words(const long long* x, long long* y, int n) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i >= n) return;
  const long long half = (x[i] >> 1) + n;
  y[i] = half > (1ll << 60) ? half & ~1ll : half;
}
