// The last block to arrive finishes the work of all, and resets the counter with a plain store for the next launch.
extern "C" __global__ void add(const float* a, const float* b, float* c, float* data, unsigned* flags, int n) {
  const int t = threadIdx.x;
  const int i = blockIdx.x * THREADS + t;
  if (i < n) data[i] = a[i] + b[i];
  __threadfence();
  __syncthreads();
  const bool last = __syncthreads_or(t == 0 && atomicAdd(flags, 1u) == gridDim.x - 1u);
  if (!last) return;
  __threadfence();
  for (int j = t; j < n; j += THREADS) c[j] = data[j];
  if (t == 0) flags[0] = 0;
}
