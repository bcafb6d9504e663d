#define WARPS (THREADS / 32)

template <class Op>
__device__ float block_reduce(float value, float identity, Op op, float* shared) {
  for (int k = 16; k >= 1; k /= 2) value = op(value, __shfl_xor_sync(~0u, value, k));
  if ((threadIdx.x & 31) == 0) shared[threadIdx.x >> 5] = value;
  __syncthreads();
  float result = identity;
  for (int w = 0; w < WARPS; ++w) result = op(result, shared[w]);
  return result;
}

extern "C" __global__ void row_softmax(const float* x, float* y, int rows, int columns) {
  __shared__ float buffer[WARPS];
  const long long start = (long long)blockIdx.x * columns;
  x += start;
  y += start;
  float m = -INFINITY;
  for (int j = threadIdx.x; j < columns; j += THREADS) m = fmaxf(m, x[j]);
  m = block_reduce(m, -INFINITY, [](float a, float b) { return fmaxf(a, b); }, buffer);
  float s = 0;
  for (int j = threadIdx.x; j < columns; j += THREADS) s += __expf(x[j] - m);
  s = block_reduce(s, 0.f, [](float a, float b) { return a + b; }, buffer);
  const float r = 1.0f / s;
  for (int j = threadIdx.x; j < columns; j += THREADS) y[j] = __expf(x[j] - m) * r;
}
