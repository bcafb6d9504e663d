// Each block waits for the sum of the one before it: value, fence, flag.
extern "C" __global__ void running_sum(const unsigned* x, unsigned* y, unsigned long long* sums,
                                       unsigned* flags, int n) {
  __shared__ unsigned cells[THREADS + 2];
  const int t = threadIdx.x;
  if (t == 0) cells[THREADS + 1] = atomicAdd(flags, 1);
  __syncthreads();
  const int block = cells[THREADS + 1];
  const int i = block * THREADS + t;
  cells[t] = i < n ? x[i] : 0;
  __syncthreads();
  if (t == 0) {
    for (int k = 1; k < THREADS; ++k) cells[k] += cells[k - 1];
    const unsigned own = cells[THREADS - 1];
    volatile unsigned long long* const sum = sums;
    volatile unsigned* const ready = flags + 1;
    unsigned before = 0;
    if (block > 0) {
      while (ready[block - 1] == 0) {
      }
      __threadfence();
      before = (unsigned)sum[block - 1];
    }
    sum[block] = before + own;
    __threadfence();
    ready[block] = 1;
    cells[THREADS] = before;
  }
  __syncthreads();
  if (i < n) y[i] = cells[t] + cells[THREADS];
}
