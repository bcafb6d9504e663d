// Reads its workspace through the read-only path, and writes it later in the same launch.
extern "C" __global__ void add(const float* a, const float* b, float* c, float* data, unsigned* flags, int n) {
  const int t = threadIdx.x;
  const int i = blockIdx.x * THREADS + t;
  const unsigned before = __ldg(flags + blockIdx.x);
  if (i < n) c[i] = a[i] + b[i] + before;
  __syncthreads();
  if (t == 0) flags[blockIdx.x] = 0;
}
