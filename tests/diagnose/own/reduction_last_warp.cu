// Sum, two stages. The last warp is unrolled as in the old NVIDIA slides.
__device__ void reduce_in_block(float* sm, unsigned tid) {
  for (unsigned s = THREADS / 2; s > 32; s >>= 1) {
    if (tid < s) sm[tid] += sm[tid + s];
    __syncthreads();
  }
  if (tid < 32) {
    float v = sm[tid];
    for (unsigned d = 32; d > 0; d >>= 1) {
      v += sm[tid + d];
      sm[tid] = v;
      __syncwarp();
    }
  }
  __syncthreads();
}

__global__ void partial_sums(const float* g_in, float* g_part, int n) {
  __shared__ float sdata[THREADS];
  const unsigned tid = threadIdx.x;
  float mine = 0.f;
  unsigned i = blockIdx.x * (THREADS * ITEMS) + tid;
  for (int k = 0; k < ITEMS; ++k, i += THREADS)
    if (i < n) mine += g_in[i];
  sdata[tid] = mine;
  __syncthreads();
  reduce_in_block(sdata, tid);
  if (tid == 0) g_part[blockIdx.x] = sdata[0];
}

__global__ void total(const float* g_part, float* g_out, int n) {
  __shared__ float sdata[THREADS];
  const unsigned tid = threadIdx.x;
  const int blocks = (n + THREADS * ITEMS - 1) / (THREADS * ITEMS);
  float mine = 0.f;
  for (int i = tid; i < blocks; i += THREADS) mine += g_part[i];
  sdata[tid] = mine;
  __syncthreads();
  reduce_in_block(sdata, tid);
  if (tid == 0) g_out[0] = sdata[0];
}
