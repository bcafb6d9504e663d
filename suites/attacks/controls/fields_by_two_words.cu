extern "C" __global__ void fields(const unsigned int* words, unsigned int* y, int width, int n) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i >= n) return;
  const long long at = (long long)i * width;
  const int word = (int)(at >> 5), shift = (int)(at & 31);
  unsigned long long both = words[word];
  if (word + 1 < n) both |= (unsigned long long)words[word + 1] << 32;
  y[i] = (unsigned int)((both >> shift) & ((1ull << width) - 1ull));
}
