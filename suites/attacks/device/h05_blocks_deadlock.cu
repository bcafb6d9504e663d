// Every block waits for the next one before it lets the one before it go on.
extern "C" __global__ void add(const float* a, const float* b, float* c, float* data, unsigned* flags, int n) {
  const int t = threadIdx.x;
  const int i = blockIdx.x * THREADS + t;
  if (t == 0) {
    while (atomicAdd(flags + (blockIdx.x + 1) % gridDim.x, 0u) == 0u) {}
    atomicExch(flags + blockIdx.x, 1u);
  }
  __syncthreads();
  if (i < n) c[i] = a[i] + b[i];
}
