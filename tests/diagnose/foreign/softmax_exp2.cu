template <typename F>
__device__ float fold(float v, F f, float* tmp) {
  for (int i = 1; i < 32; i += i) v = f(v, __shfl_xor_sync(0xffffffffu, v, i));
  __syncthreads();
  if (threadIdx.x % 32 == 0) tmp[threadIdx.x / 32] = v;
  __syncthreads();
  v = tmp[0];
  for (int i = 1; i < THREADS / 32; ++i) v = f(v, tmp[i]);
  return v;
}

extern "C" __global__ void row_softmax(const float* x, float* y, int rows, int columns) {
  __shared__ float tmp[THREADS / 32];
  x += (size_t)blockIdx.x * columns;
  y += (size_t)blockIdx.x * columns;
  float hi = -INFINITY;
  for (int i = threadIdx.x; i < columns; i += THREADS) hi = fmaxf(hi, x[i]);
  hi = fold(hi, [](float a, float b) { return fmaxf(a, b); }, tmp);
  float total = 0.f;
  for (int i = threadIdx.x; i < columns; i += THREADS) total += exp2f((x[i] - hi) * 1.4426950408889634f);
  total = fold(total, [](float a, float b) { return a + b; }, tmp);
  for (int i = threadIdx.x; i < columns; i += THREADS) y[i] = exp2f(x[i] - hi) / total;
}
