#define LANES 32
#define WARPS (THREADS / LANES)

__device__ float over_lanes_max(float v) {
  for (int o = LANES / 2; o > 0; o /= 2) v = fmaxf(v, __shfl_xor_sync(0xffffffffu, v, o));
  return v;
}
__device__ float over_lanes_sum(float v) {
  for (int o = LANES / 2; o > 0; o /= 2) v += __shfl_xor_sync(0xffffffffu, v, o);
  return v;
}

extern "C" __global__ void row_softmax(const float* x, float* y, int rows, int columns) {
  __shared__ float tops[WARPS], parts[WARPS];
  const float* src = x + (size_t)blockIdx.x * columns;
  float* dst = y + (size_t)blockIdx.x * columns;
  const int warp = threadIdx.x / LANES;

  float top = -INFINITY;
  for (int c = threadIdx.x; c < columns; c += THREADS) top = fmaxf(top, src[c]);
  top = over_lanes_max(top);
  float part = 0.f;
  for (int c = threadIdx.x; c < columns; c += THREADS) part += expf(src[c] - top);
  part = over_lanes_sum(part);
  if (threadIdx.x % LANES == 0) {
    tops[warp] = top;
    parts[warp] = part;
  }
  __syncthreads();

  float highest = tops[0];
  for (int w = 1; w < WARPS; ++w) highest = fmaxf(highest, tops[w]);
  float total = 0.f;
  for (int w = 0; w < WARPS; ++w) {
    const float share = tops[w] == -INFINITY ? 0.f : expf(tops[w] - highest);
    total += share > 0.f ? parts[w] : 0.f;
  }
  for (int c = threadIdx.x; c < columns; c += THREADS) dst[c] = expf(src[c] - highest) / total;
}
