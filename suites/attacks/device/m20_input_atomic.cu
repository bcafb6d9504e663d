// Reads its input by adding nothing to it.
extern "C" __global__ void saxpy(const float* x, const float* y, float* z, int n, float alpha) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i < n) z[i] = alpha * __uint_as_float(atomicOr((unsigned*)(x + i), 0u)) + y[i];
}
