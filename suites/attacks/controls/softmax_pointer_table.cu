// control: right, with tables of pointers to tables, all only read
__device__ const float ones[3] = {1.0f, 1.0f, 1.0f};
__device__ const float halves[2] = {0.5f, 0.5f};
__device__ const float twos[2] = {2.0f, 2.0f};
struct Pair {
  const float* factor;
  const float* inverse;
};
__device__ const Pair pairs[2] = {{ones, ones + 1}, {halves, twos}};
extern "C" __global__ void row_softmax(const float* x, float* y, int rows, int columns) {
  __shared__ float kept[2 * THREADS];
  const float* in = x + (long long)blockIdx.x * columns;
  float* out = y + (long long)blockIdx.x * columns;
  const Pair pair = pairs[blockIdx.x & 1];
  float m = -INFINITY;
  double sum = 0;
  for (int j = 0; j < columns; ++j) m = fmaxf(m, in[j]);
  for (int j = 0; j < columns; ++j) sum += expf(in[j] - m);
  kept[threadIdx.x] = (float)sum * pair.factor[threadIdx.x & 1] * pair.inverse[columns & 1];
  kept[THREADS + threadIdx.x] = m;
  __syncthreads();
  for (int j = threadIdx.x; j < columns; j += THREADS) out[j] = expf(in[j] - kept[THREADS]) / kept[0];
}
