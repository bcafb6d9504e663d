// pairwise partial sums; total is done by one warp, the rest of the block idles
__global__ void partial_sums(const float* data, float* partial, int n) {
  __shared__ float lane[THREADS];
  const int chunk = THREADS * ITEMS;
  float a = 0.f, b = 0.f;
  for (int i = threadIdx.x; i < chunk; i += THREADS) {
    const int at = blockIdx.x * chunk + i;
    if (at >= n) break;
    (i / THREADS % 2 ? a : b) += data[at];
  }
  lane[threadIdx.x] = a + b;
  for (int half = THREADS >> 1; half; half >>= 1) {
    __syncthreads();
    if (threadIdx.x < half) lane[threadIdx.x] += lane[threadIdx.x + half];
  }
  if (!threadIdx.x) partial[blockIdx.x] = lane[0];
}

__global__ void total(const float* partial, float* sum, int n) {
  if (threadIdx.x >= 32) return;
  const int parts = n / (THREADS * ITEMS);
  float v = 0.f;
  for (int p = threadIdx.x; p < parts; p += 32) v += partial[p];
  for (int d = 1; d < 32; d <<= 1) v += __shfl_xor_sync(~0u, v, d);
  if (threadIdx.x == 0) *sum = v;
}
