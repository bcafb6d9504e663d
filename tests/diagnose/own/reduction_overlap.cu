// Grid-stride partial sums, shuffles inside the warp, one word per warp in shared memory.
constexpr int kWarps = THREADS / 32;

static __device__ __forceinline__ float warp_total(float v) {
#pragma unroll
  for (int lane_mask = 16; lane_mask >= 1; lane_mask /= 2) v += __shfl_xor_sync(0xffffffffu, v, lane_mask);
  return v;
}

static __device__ float block_total(float v) {
  __shared__ float per_warp[kWarps];
  v = warp_total(v);
  if (threadIdx.x % 32 == 0) per_warp[threadIdx.x / 32] = v;
  __syncthreads();
  float all = 0.f;
  for (int w = 0; w < kWarps; ++w) all += per_warp[w];
  return all;
}

__global__ void partial_sums(const float* x, float* partial, int n) {
  const int begin = blockIdx.x * ITEMS * THREADS;
  const int end = min(begin + ITEMS * THREADS, n);
  float v = 0.f;
  for (int i = begin + threadIdx.x; i <= end; i += THREADS) v += i < n ? x[i] : 0.f;
  v = block_total(v);
  if (threadIdx.x == 0) partial[blockIdx.x] = v;
}

__global__ void total(const float* partial, float* sum, int n) {
  const int count = (n - 1) / (ITEMS * THREADS) + 1;
  float v = 0.f;
  for (int i = threadIdx.x; i < count; i += THREADS) v += partial[i];
  v = block_total(v);
  if (threadIdx.x == 0) *sum = v;
}
