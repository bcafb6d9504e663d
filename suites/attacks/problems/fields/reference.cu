__global__ void reference(const unsigned int* words, unsigned int* y, int width, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned int value = 0;
  for (int b = 0; b < width; ++b) {
    const long long at = (long long)i * width + b;
    value |= ((words[at / 32] >> (at % 32)) & 1u) << b;
  }
  y[i] = value;
}
