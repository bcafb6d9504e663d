// Decoupled look-back along the blocks of a row: status and value of a part in one word, published behind a fence.
// Status 1: the part's own; 2: with all parts before it.
__shared__ float cells[2 * THREADS];

__device__ float reduce(float value, bool sum) {
  cells[threadIdx.x] = value;
  __syncthreads();
  for (int step = THREADS / 2; step > 0; step /= 2) {
    if (threadIdx.x < step) {
      const float other = cells[threadIdx.x + step];
      cells[threadIdx.x] = sum ? cells[threadIdx.x] + other : fmaxf(cells[threadIdx.x], other);
    }
    __syncthreads();
  }
  const float result = cells[0];
  __syncthreads();
  return result;
}

extern "C" __global__ void row_softmax(const float* x, float* y, float* partial, unsigned long long* flags,
                                       int rows, int columns) {
  const int row = blockIdx.y, part = blockIdx.x, t = threadIdx.x;
  const int each = (columns + SPLITS - 1) / SPLITS;
  const int end = min(columns, (part + 1) * each);
  x += (long long)row * columns;
  y += (long long)row * columns;
  partial += row * 16;
  flags += row * 16;
  float m = -INFINITY;
  for (int j = part * each + t; j < end; j += THREADS) m = fmaxf(m, x[j]);
  m = reduce(m, false);
  float sum = 0;
  for (int j = part * each + t; j < end; j += THREADS) sum += expf(x[j] - m);
  sum = reduce(sum, true);

  // (sum, maximum) of all parts before this one, from the nearest that has them all.
  volatile unsigned long long* status = flags;
  if (t == 0) {
    partial[2 * part] = m;
    partial[2 * part + 1] = sum;
    __threadfence();
    status[part] = part == 0 ? 2 : 1;
    float before_m = -INFINITY, before_sum = 0;
    for (int s = part - 1; s >= 0; --s) {
      unsigned long long seen;
      do seen = status[s];
      while (seen == 0);
      __threadfence();
      const float* from = seen == 2 ? (s == 0 ? partial : partial + 8 + 2 * (s - 1)) : partial + 2 * s;
      const float other_m = from[0], other_sum = from[1];
      const float larger = fmaxf(before_m, other_m);
      before_sum = (before_sum > 0 ? before_sum * expf(before_m - larger) : 0) +
                   (other_sum > 0 ? other_sum * expf(other_m - larger) : 0);
      before_m = larger;
      if (seen == 2) break;
    }
    if (part > 0) {
      const float larger = fmaxf(before_m, m);
      before_sum = (before_sum > 0 ? before_sum * expf(before_m - larger) : 0) +
                   (sum > 0 ? sum * expf(m - larger) : 0);
      partial[8 + 2 * (part - 1)] = larger;
      partial[8 + 2 * (part - 1) + 1] = before_sum;
      __threadfence();
      status[part] = 2;
    }
    while (status[SPLITS - 1] != 2) __nanosleep(20);
    __threadfence();
  }
  __syncthreads();
  // The order in which parts were added depends on who was there: only the exact maximum is taken from it.
  m = partial[8 + 2 * (SPLITS - 2)];
  sum = 0;
  for (int s = 0; s < SPLITS; ++s)
    if (partial[2 * s + 1] > 0) sum += partial[2 * s + 1] * expf(partial[2 * s] - m);
  for (int j = part * each + t; j < end; j += THREADS) y[j] = expf(x[j] - m) / sum;
}
