// A private histogram for each block, merged at the end.
extern "C" __global__ void histogram(const int* v, unsigned* out, int n, int bins) {
  __shared__ unsigned mine[4096];
  const int lane = threadIdx.x;
  const int lo = blockIdx.x * BLOCK * ITEMS, hi = min(n, lo + BLOCK * ITEMS);

  for (int b = lane; b < bins / 2; b += BLOCK) mine[b] = 0;
  __syncthreads();

  for (int i = lo + lane; i < hi; i += BLOCK) atomicAdd(mine + v[i], 1u);
  __syncthreads();

  for (int b = lane; b < bins; b += BLOCK)
    if (mine[b] != 0) atomicAdd(out + b, mine[b]);
}
