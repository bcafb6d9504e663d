// Z-14: an index is kept in 24 bits, beside a flag
extern "C" __global__ void scale(const float* x, float* y, int n) {
  const unsigned packed = (blockIdx.x * THREADS + threadIdx.x) << 8 | (n > 0 ? 1U : 0U);
  const int i = static_cast<int>(packed >> 8);
  if (i < n && (packed & 1U) != 0) y[i] = 2 * x[i] + 1;
}
