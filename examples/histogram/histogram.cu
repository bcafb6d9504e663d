extern "C" __global__ void histogram(const int* numbers, unsigned* counts, int n, int bins) {
#if IN_SHARED
  extern __shared__ unsigned own[];
  for (int bin = threadIdx.x; bin < bins; bin += BLOCK) own[bin] = 0;
  __syncthreads();
#else
  unsigned* own = counts;
#endif
  const int first = blockIdx.x * BLOCK * ITEMS + threadIdx.x;
  for (int item = 0; item < ITEMS; ++item)
    if (first + item * BLOCK < n) atomicAdd(&own[numbers[first + item * BLOCK]], 1u);
#if IN_SHARED
  __syncthreads();
  for (int bin = threadIdx.x; bin < bins; bin += BLOCK)
    if (own[bin] > 0) atomicAdd(&counts[bin], own[bin]);
#endif
}
