// U-07: each block resets a counter that others may still add to.
extern "C" __global__ void add(const float* a, const float* b, float* c, float* data, unsigned* flags, int n) {
  const int t = threadIdx.x;
  const int i = blockIdx.x * THREADS + t;
  if (i < n) c[i] = a[i] + b[i];
  __threadfence();
  __syncthreads();
  if (t == 0 && atomicAdd(flags, 1u) > 1u) flags[0] = 0;
}
