// Rows in float4 where they are aligned for it.
__device__ float warp_all(float v, bool max_not_sum) {
  for (int o = 16; o; o >>= 1) {
    const float w = __shfl_xor_sync(0xffffffff, v, o);
    v = max_not_sum ? fmaxf(v, w) : v + w;
  }
  return v;
}

__device__ float block_all(float v, bool max_not_sum, float* cells) {
  v = warp_all(v, max_not_sum);
  __syncthreads();
  if ((threadIdx.x & 31) == 0) cells[threadIdx.x >> 5] = v;
  __syncthreads();
  v = threadIdx.x % 32 < THREADS / 32 ? cells[threadIdx.x % 32] : (max_not_sum ? -INFINITY : 0.f);
  return warp_all(v, max_not_sum);
}

extern "C" __global__ void row_softmax(const float* in, float* out, int rows, int columns) {
  __shared__ float cells[THREADS / 32];
  const float* x = in + (long long)blockIdx.x * columns;
  float* y = out + (long long)blockIdx.x * columns;
  const int vectors = columns / 4;
  const float4* x4 = reinterpret_cast<const float4*>(x);
  float top = -INFINITY;
  for (int i = threadIdx.x; i < vectors; i += THREADS) {
    const float4 v = x4[i];
    top = fmaxf(top, fmaxf(fmaxf(v.x, v.y), fmaxf(v.z, v.w)));
  }
  for (int i = 4 * vectors + threadIdx.x; i < columns; i += THREADS) top = fmaxf(top, x[i]);
  top = block_all(top, true, cells);
  float sum = 0.f;
  for (int i = threadIdx.x; i < columns; i += THREADS) sum += expf(x[i] - top);
  sum = block_all(sum, false, cells);
  const float scale = 1.f / sum;
  for (int i = threadIdx.x; i < columns; i += THREADS) y[i] = expf(x[i] - top) * scale;
}
