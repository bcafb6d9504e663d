extern "C" __global__ void fields(const unsigned int* words, unsigned int* y, int width, int n) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i >= n) return;
  const long long at = (long long)i * width;
  const int word = (int)(at >> 5), shift = (int)(at & 31);
  const unsigned int high = shift + width > 32 ? words[word + 1] : 0u;
  y[i] = __funnelshift_r(words[word], high, shift) & (0xffffffffu >> (32 - width));
}
