// A kernel of one's own: a block computes the softmax of one row with warp shuffles. It has no genes but takes THREADS from the template.
extern "C" __global__ void row_softmax(const float* x, float* y, int rows, int columns) {
  __shared__ float cells[THREADS];
  const int t = threadIdx.x, lane = t % 32, warp = t / 32;
  const float* in = x + (long long)blockIdx.x * columns;
  float* out = y + (long long)blockIdx.x * columns;

  float largest = -INFINITY;
  for (int j = t; j < columns; j += THREADS) largest = fmaxf(largest, in[j]);
  for (int lanes = 16; lanes > 0; lanes /= 2) largest = fmaxf(largest, __shfl_xor_sync(~0u, largest, lanes));
  if (lane == 0) cells[warp] = largest;
  __syncthreads();
  for (int w = 0; w < THREADS / 32; ++w) largest = fmaxf(largest, cells[w]);
  __syncthreads();

  float sum = 0;
  for (int j = t; j < columns; j += THREADS) sum += expf(in[j] - largest);
  for (int lanes = 16; lanes > 0; lanes /= 2) sum += __shfl_xor_sync(~0u, sum, lanes);
  if (lane == 0) cells[warp] = sum;
  __syncthreads();
  sum = 0;
  for (int w = 0; w < THREADS / 32; ++w) sum += cells[w];
  for (int j = t; j < columns; j += THREADS) out[j] = expf(in[j] - largest) / sum;
}
