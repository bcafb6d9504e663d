// Z-06: the last block adds up what the first 256 blocks have left.
extern "C" __global__ void add(const float* a, const float* b, float* c, float* data, unsigned* flags, int n) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  volatile float* seen = data;
  if (i < n) seen[i] = b[i];
  __threadfence();
  __syncthreads();
  const int behind = __syncthreads_or(threadIdx.x == 0 && atomicAdd(&flags[0], 1u) == gridDim.x - 1);
  __threadfence();
  if (!behind) return;
  for (int block = 0; block < min(gridDim.x, 4 * THREADS); ++block) {
    const int k = block * THREADS + threadIdx.x;
    if (k < n) c[k] = a[k] + seen[k];
  }
}
