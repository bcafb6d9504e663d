extern "C" __global__ void long_words(const long long* x, long long* y, int n) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i < n) y[i] = (x[i] >> 1) + n;
}
