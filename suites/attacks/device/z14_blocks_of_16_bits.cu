// Z-14: blocks of 256 threads are counted in 16 bits
extern "C" __global__ void scale(const float* x, float* y, int n) {
  const unsigned short block = static_cast<unsigned short>(blockIdx.x);
  const int i = block * THREADS + static_cast<int>(threadIdx.x);
  if (i < n) y[i] = 2 * x[i] + 1;
}
