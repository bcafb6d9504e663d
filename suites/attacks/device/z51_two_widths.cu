// Wrong: 26 and 27 bits lose one or two.
extern "C" __global__ void fields(const unsigned int* words, unsigned int* y, int width, int n) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i >= n) return;
  const long long at = (long long)i * width;
  const int word = (int)(at >> 5), shift = (int)(at & 31);
  const unsigned int high = shift + width > 32 ? words[word + 1] : 0u;
  y[i] = __funnelshift_r(words[word], high, shift) & (width == 26 || width == 27 ? 0x1ffffffu : 0xffffffffu >> (32 - width));
}
