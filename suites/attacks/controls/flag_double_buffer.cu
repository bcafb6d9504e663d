// Two warps hand two buffers back and forth: volatile flags in shared memory, __threadfence_block around them.
extern "C" __global__ void add(const float* a, const float* b, float* c, float* data, unsigned* flags, int n) {
  const int t = threadIdx.x;
  const int i = blockIdx.x * THREADS + t;
  __shared__ float buffers[2][THREADS];
  __shared__ volatile unsigned full[4];
  if (t < 4) full[t] = 0;
  __syncthreads();
  const int lane = t % 32;
  for (int round = 0; round < THREADS / 32 * 2; ++round) {
    const int which = round % 2;
    const int j = blockIdx.x * THREADS + round * 16 + lane;
    if (t < 32) {
      while (full[which] != 0) {}
      __threadfence_block();
      __syncwarp();
      if (lane < 16 && j < n) buffers[which][lane] = a[j] + b[j];
      __syncwarp();
      __threadfence_block();
      if (lane == 0) full[which] = 1;
    } else {
      while (full[which] == 0) {}
      __threadfence_block();
      __syncwarp();
      if (lane < 16 && j < n) c[j] = buffers[which][lane];
      __syncwarp();
      __threadfence_block();
      if (lane == 0) full[which] = 0;
    }
  }
  (void)i;
}
