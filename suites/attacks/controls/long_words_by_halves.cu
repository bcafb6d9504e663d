// A control: right, adds the words of 32 bits one by one
extern "C" __global__ void long_words(const long long* x, long long* y, int n) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i >= n) return;
  const unsigned long long half = (unsigned long long)(x[i] >> 1);
  const unsigned low = (unsigned)half, sum = low + (unsigned)n;
  const unsigned high = (unsigned)(half >> 32) + (sum < low ? 1u : 0u);
  y[i] = (long long)((unsigned long long)high << 32 | sum);
}
