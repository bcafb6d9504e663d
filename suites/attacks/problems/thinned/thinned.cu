__device__ unsigned drawn(unsigned i, unsigned seed) {
  unsigned v = i * 747796405u + seed;
  v = ((v >> ((v >> 28) + 4)) ^ v) * 277803737u;
  return ((v >> 22) ^ v) >> 8;
}

extern "C" __global__ void thinned(const float* x, const float* beside, float* y, int n, unsigned seed, float p, float gain) {
  const unsigned least = (unsigned)(p * 16777216.0f);
  const float scale = gain / (1 - p);
  for (int i = blockIdx.x * THREADS + threadIdx.x; i < n; i += gridDim.x * THREADS)
    y[i] = drawn(i, seed) >= least ? fmaf(x[i], scale, beside[i]) : beside[i];
}
