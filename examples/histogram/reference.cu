__global__ void reference(const int* numbers, unsigned* counts, int n, int bins) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&counts[numbers[i]], 1u);
}
