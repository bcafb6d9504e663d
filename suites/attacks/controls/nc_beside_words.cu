// Right: reads a zeroed word of its workspace through the read-only path, and writes other words of the same line.
extern "C" __global__ void add(const float* a, const float* b, float* c, float* data, unsigned* flags, int n) {
  const int t = threadIdx.x;
  const int i = blockIdx.x * THREADS + t;
  const unsigned nothing = __ldg(flags + gridDim.x + 2);
  if (t == 0) flags[blockIdx.x] = 7;
  if (i < n) c[i] = a[i] + b[i] + nothing;
}
