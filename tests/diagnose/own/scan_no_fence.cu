// Chained scan: a block adds the total of the block before it as soon as that is published.
extern "C" __global__ void running_sum(const unsigned* x, unsigned* y, unsigned long long* sums, unsigned* flags, int n) {
  __shared__ unsigned buf[THREADS];
  __shared__ unsigned carry, tile;
  if (threadIdx.x == 0) tile = atomicAdd(&flags[0], 1u);
  __syncthreads();

  const int i = tile * THREADS + threadIdx.x;
  unsigned mine = i < n ? x[i] : 0u;
  buf[threadIdx.x] = mine;
  __syncthreads();
  for (int d = 1; d < THREADS; d *= 2) {
    const unsigned left = threadIdx.x >= d ? buf[threadIdx.x - d] : 0u;
    __syncthreads();
    buf[threadIdx.x] += left;
    __syncthreads();
  }

  if (threadIdx.x == THREADS - 1) {
    unsigned before = 0;
    if (tile > 0) {
      while (atomicAdd(&flags[tile], 0u) == 0) {}
      __threadfence();
      before = (unsigned)sums[tile - 1];
    }
    sums[tile] = before + buf[THREADS - 1];
    atomicExch(&flags[tile + 1], 1u);
    carry = before;
  }
  __syncthreads();
  if (i < n) y[i] = buf[threadIdx.x] + carry;
}
