// warps first, then the sums of the warps by the first few lanes of warp 0
#define FULL 0xffffffffu
#define NWARP (THREADS / 32)

__device__ float warp_sum(float v) {
  for (int o = 16; o; o >>= 1) v += __shfl_down_sync(FULL, v, o);
  return v;
}

__device__ float block_sum(float v) {
  __shared__ float w[32];
  const int lane = threadIdx.x & 31, id = threadIdx.x >> 5;
  v = warp_sum(v);
  if (lane == 0) w[id] = v;
  __syncthreads();
  if (threadIdx.x < NWARP) {
    v = w[threadIdx.x];
    for (int o = NWARP / 2; o; o >>= 1) v += __shfl_down_sync(FULL, v, o);
    if (threadIdx.x == 0) w[0] = v;
  }
  __syncthreads();
  return w[0];
}

__global__ void partial_sums(const float* x, float* partial, int n) {
  float v = 0;
  const long first = (long)blockIdx.x * THREADS * ITEMS + threadIdx.x;
  for (int j = 0; j < ITEMS; ++j)
    if (first + j * THREADS < n) v += x[first + j * THREADS];
  v = block_sum(v);
  if (threadIdx.x == 0) partial[blockIdx.x] = v;
}

__global__ void total(const float* partial, float* sum, int n) {
  float v = 0;
  for (int i = threadIdx.x; i < (n + THREADS * ITEMS - 1) / (THREADS * ITEMS); i += THREADS) v += partial[i];
  v = block_sum(v);
  if (threadIdx.x == 0) sum[0] = v;
}
