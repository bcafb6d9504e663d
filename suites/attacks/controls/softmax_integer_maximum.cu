// control: right, the maximum by reductions of integers that are ordered as the floats are, masks that get smaller
__device__ int ordered(float value) {
  const int bits = __float_as_int(value);
  return bits >= 0 ? bits : bits ^ 0x7fffffff;
}
__device__ float unordered(int key) { return __int_as_float(key >= 0 ? key : key ^ 0x7fffffff); }

extern "C" __global__ void row_softmax(const float* x, float* y, int rows, int columns) {
  __shared__ int keys[THREADS];
  __shared__ float sums[THREADS];
  const int t = threadIdx.x;
  const float* in = x + (long long)blockIdx.x * columns;
  float* out = y + (long long)blockIdx.x * columns;
  // Lanes that have an element at the same time reduce it at once; fewer and fewer have.
  int key = ordered(-INFINITY);
  unsigned mask = __ballot_sync(0xffffffffu, t < columns);
  for (int j = t; j < columns; j += THREADS) {
    key = max(key, __reduce_max_sync(mask, ordered(in[j])));
    mask = __ballot_sync(mask, j + THREADS < columns);
  }
  __syncwarp();
  key = __reduce_max_sync(0xffffffffu, key);
  if (t % 32 == 0) keys[t / 32] = key;
  __syncthreads();
  for (int w = 0; w < THREADS / 32; ++w) key = max(key, keys[w]);
  const float m = unordered(key);
  float sum = 0;
  for (int j = t; j < columns; j += THREADS) sum += expf(in[j] - m);
  // A tree in the warp: half of the lanes, with a mask of their own, at each step.
  const int lane = t % 32;
  for (int half = 16; half > 0; half /= 2) {
    const unsigned lanes = half == 16 ? 0xffffffffu : (1u << 2 * half) - 1;
    if (lane < 2 * half) sum += __shfl_down_sync(lanes, sum, half);
  }
  if (lane == 0) sums[t / 32] = sum;
  __syncthreads();
  sum = 0;
  for (int w = 0; w < THREADS / 32; ++w) sum += sums[w];
  for (int j = t; j < columns; j += THREADS) out[j] = expf(in[j] - m) / sum;
}
