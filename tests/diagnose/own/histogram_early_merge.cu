namespace {
struct Bins {
  unsigned n[4096];
  __device__ void clear(int bins) {
    for (int b = threadIdx.x; b < bins; b += BLOCK) n[b] = 0;
  }
  __device__ void add(int b) { atomicAdd(&n[b], 1u); }
  __device__ void merge_into(unsigned* to, int bins) const {
    for (int b = threadIdx.x; b < bins; b += BLOCK) atomicAdd(to + b, n[b]);
  }
};
}  // namespace

extern "C" __global__ void histogram(const int* numbers, unsigned* counts, int n, int bins) {
  __shared__ Bins local;
  local.clear(bins);
  __syncthreads();
  const int first = (int)blockIdx.x * BLOCK * ITEMS;
#pragma unroll
  for (int k = 0; k < ITEMS; ++k) {
    const int i = first + k * BLOCK + (int)threadIdx.x;
    if (i < n) local.add(numbers[i]);
  }
  local.merge_into(counts, bins);
}
