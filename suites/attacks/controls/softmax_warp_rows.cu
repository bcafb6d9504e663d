// control: right, the last warp to finish adds up: counts with __syncthreads_count, ballots, and variables that only
// those set who need them
extern "C" __global__ void row_softmax(const float* x, float* y, int rows, int columns) {
  __shared__ float largest[THREADS];
  __shared__ float sums[THREADS];
  const int t = threadIdx.x;
  const int lane = t % 32;
  const int warp = t / 32;
  const float* in = x + (long long)blockIdx.x * columns;
  float* out = y + (long long)blockIdx.x * columns;
  // Up to two elements a thread stay in registers; which of them exist, it knows.
  float kept[2];
  int have = 0;
  for (int k = 0; k < 2; ++k) {
    const int j = t + k * THREADS;
    if (j < columns) {
      kept[k] = in[j];
      have = k + 1;
    }
  }
  const int with_elements = __syncthreads_count(have > 0);
  float m = -INFINITY;
  for (int k = 0; k < 2; ++k) {
    if (k < have) m = fmaxf(m, kept[k]);
  }
  for (int j = t + 2 * THREADS; j < columns; j += THREADS) m = fmaxf(m, in[j]);
  for (int k = 16; k > 0; k /= 2) m = fmaxf(m, __shfl_xor_sync(0xffffffffu, m, k));
  if (lane == 0) largest[warp] = m;
  __syncthreads();
  const int warps = (with_elements + 31) / 32;
  // Every warp reads what the warps have: lanes that have none to read keep a value that is not used.
  float part;
  if (lane < warps) part = largest[lane];
  m = __shfl_sync(0xffffffffu, part, 0);
  for (int w = 1; w < warps; ++w) m = fmaxf(m, __shfl_sync(0xffffffffu, part, w));
  float sum = 0;
  for (int k = 0; k < 2; ++k) {
    if (k < have) {
      kept[k] = expf(kept[k] - m);
      sum += kept[k];
    }
  }
  for (int j = t + 2 * THREADS; j < columns; j += THREADS) sum += expf(in[j] - m);
  for (int k = 16; k > 0; k /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, k);
  if (lane == 0) sums[warp] = sum;
  __syncthreads();
  sum = 0;
  for (int w = 0; w < THREADS / 32; ++w) sum += sums[w];
  for (int k = 0; k < 2; ++k) {
    if (k < have) out[t + k * THREADS] = kept[k] / sum;
  }
  for (int j = t + 2 * THREADS; j < columns; j += THREADS) out[j] = expf(in[j] - m) / sum;
}
