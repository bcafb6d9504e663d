// control: right, two passes: a warp's maximum and sum by shuffles, once each, threads without elements left before
extern "C" __global__ void row_softmax(const float* x, float* y, int rows, int columns) {
  __shared__ float parts[2 * THREADS];
  const int t = threadIdx.x;
  const int lane = t % 32;
  const int warp = t / 32;
  const float* in = x + (long long)blockIdx.x * columns;
  float* out = y + (long long)blockIdx.x * columns;
  if (t >= columns) return;  // has no element, in a row shorter than the block
  const int present = min(THREADS, columns);
  const int warps = (present + 31) / 32;
  const int in_warp = min(32, present - warp * 32);

  // Pass 1: the maximum and the sum of what a thread has, with one exponential an element.
  float m = in[t];
  float sum = 1;
  for (int j = t + THREADS; j < columns; j += THREADS) {
    const float value = in[j];
    if (value > m) {
      sum = sum * expf(m - value) + 1;
      m = value;
    } else {
      sum += expf(value - m);
    }
  }
  for (int k = 16; k > 0; k /= 2) {
    // The full mask; lanes that have left are not asked, and what would come from them is not used.
    const float other_m = __shfl_down_sync(0xffffffffu, m, k);
    const float other_sum = __shfl_down_sync(0xffffffffu, sum, k);
    if (lane + k < in_warp) {
      const float larger = fmaxf(m, other_m);
      sum = sum * expf(m - larger) + other_sum * expf(other_m - larger);
      m = larger;
    }
  }
  if (lane == 0) {
    parts[warp] = m;
    parts[THREADS + warp] = sum;
  }
  __syncthreads();
  float row_m = parts[0];
  for (int w = 1; w < warps; ++w) row_m = fmaxf(row_m, parts[w]);
  float row_sum = 0;
  for (int w = 0; w < warps; ++w) row_sum += parts[THREADS + w] * expf(parts[w] - row_m);

  // Pass 2.
  for (int j = t; j < columns; j += THREADS) out[j] = expf(in[j] - row_m) / row_sum;
}
