#define MAX_BINS 4096

extern "C" __global__ void histogram(const int* __restrict__ numbers, unsigned* __restrict__ counts, int n, int bins) {
  __shared__ unsigned s[MAX_BINS];
  for (int i = threadIdx.x; i < bins; i += blockDim.x) s[i] = 0u;
  __syncthreads();

  int pos = blockIdx.x * (BLOCK * ITEMS) + threadIdx.x;
  for (int it = 0; it < ITEMS && pos < n; ++it, pos += BLOCK) {
    const int which = numbers[pos];
    s[which]++;
  }
  __syncthreads();

  for (int i = threadIdx.x; i < bins; i += blockDim.x) {
    const unsigned c = s[i];
    if (c) atomicAdd(counts + i, c);
  }
}
