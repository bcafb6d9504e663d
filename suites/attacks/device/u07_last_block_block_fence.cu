// U-07: the last block adds up what others stored in front of a fence that reaches their own block only.
extern "C" __global__ void add(const float* a, const float* b, float* c, float* data, unsigned* flags, int n) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  volatile float* seen = data;
  if (i < n) seen[i] = b[i];
  __threadfence_block();
  __syncthreads();
  const int behind = __syncthreads_or(threadIdx.x == 0 && atomicAdd(&flags[0], 1u) == gridDim.x - 1);
  __threadfence();
  if (!behind) return;
  for (int k = threadIdx.x; k < n; k += THREADS) c[k] = a[k] + seen[k];
}
