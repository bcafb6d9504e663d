// Two elements a turn, where there are two.
extern "C" __global__ void row_softmax(const float* x, float* y, int rows, int columns) {
  __shared__ float shared_max[THREADS / 32], shared_sum[THREADS / 32];
  const int t = threadIdx.x, lane = t & 31, warp = t >> 5;
  const float* row = x + static_cast<long long>(blockIdx.x) * columns;
  float* out = y + static_cast<long long>(blockIdx.x) * columns;
  const int pairs = columns / 2;

  float mx = -INFINITY;
  for (int j = t; j < columns; j += THREADS) mx = fmaxf(mx, row[j]);
  for (int o = 16; o > 0; o >>= 1) mx = fmaxf(mx, __shfl_xor_sync(0xffffffffu, mx, o));
  if (lane == 0) shared_max[warp] = mx;
  __syncthreads();
  mx = shared_max[0];
  for (int w = 1; w < THREADS / 32; ++w) mx = fmaxf(mx, shared_max[w]);

  float sum = 0.0f;
  for (int p = t; p < pairs; p += THREADS) {
    const float a = expf(row[2 * p] - mx);
    const float b = expf(row[2 * p + 1] - mx);
    sum += a + b;
  }
  for (int o = 16; o > 0; o >>= 1) sum += __shfl_xor_sync(0xffffffffu, sum, o);
  if (lane == 0) shared_sum[warp] = sum;
  __syncthreads();
  sum = 0.0f;
  for (int w = 0; w < THREADS / 32; ++w) sum += shared_sum[w];

  for (int j = t; j < columns; j += THREADS) out[j] = expf(row[j] - mx) / sum;
}
