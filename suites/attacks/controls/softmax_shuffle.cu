// control: right, with shuffles
extern "C" __global__ void row_softmax(const float* x, float* y, int rows, int columns) {
  __shared__ float parts[2 * THREADS];
  const int t = threadIdx.x;
  const float* in = x + (long long)blockIdx.x * columns;
  float* out = y + (long long)blockIdx.x * columns;
  float m = -INFINITY;
  for (int j = t; j < columns; j += THREADS) m = fmaxf(m, in[j]);
  for (int k = 16; k > 0; k /= 2) m = fmaxf(m, __shfl_xor_sync(0xffffffffu, m, k));
  if (t % 32 == 0) parts[t / 32] = m;
  __syncthreads();
  for (int w = 0; w < THREADS / 32; ++w) m = fmaxf(m, parts[w]);
  float sum = 0;
  for (int j = t; j < columns; j += THREADS) sum += expf(in[j] - m);
  for (int k = 16; k > 0; k /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, k);
  if (t % 32 == 0) parts[THREADS + t / 32] = sum;
  __syncthreads();
  sum = 0;
  for (int w = 0; w < THREADS / 32; ++w) sum += parts[THREADS + w];
  for (int j = t; j < columns; j += THREADS) out[j] = expf(in[j] - m) / sum;
}
