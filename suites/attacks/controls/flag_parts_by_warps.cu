// A last block: the parts of each block added by its warps, fences, a barrier, a ticket.
extern "C" __global__ void running_sum(const unsigned* x, unsigned* y, unsigned long long* sums,
                                       unsigned* flags, int n) {
  __shared__ unsigned cells[THREADS + 2];
  volatile unsigned long long* const parts = sums;
  const int t = threadIdx.x, i = blockIdx.x * THREADS + t;
  const unsigned sum = __reduce_add_sync(~0u, i < n ? x[i] : 0);
  if (t % 32 == 0) atomicAdd(&sums[blockIdx.x], (unsigned long long)sum);
  __threadfence();
  __syncthreads();
  if (t == 0) {
    cells[THREADS] = atomicAdd(flags, 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (cells[THREADS] == 0) return;
  for (int b = t; b < gridDim.x; b += THREADS) {
    unsigned sum = 0;
    for (int before = 0; before < b; ++before) sum += (unsigned)parts[before];
    for (int k = b * THREADS; k < min(n, (b + 1) * THREADS); ++k) {
      sum += x[k];
      y[k] = sum;
    }
  }
}
