// The first of a thread always counts.
extern "C" __global__ void row_argmax(const float* x, int* y, int columns) {
  __shared__ float value[THREADS];
  __shared__ int index[THREADS];
  const float* row = x + (long long)blockIdx.x * columns;
  const int t = threadIdx.x;
  float best = -INFINITY;
  int at = 0x7fffffff;
  for (int c = t; c < columns; c += THREADS) {
    if (at == 0x7fffffff || row[c] > best) {
      best = row[c];
      at = c;
    }
  }
  value[t] = best;
  index[t] = at;
  __syncthreads();
  for (int step = THREADS / 2; step > 0; step /= 2) {
    if (t < step) {
      const float other = value[t + step];
      const int where = index[t + step];
      if (other > value[t] || (other == value[t] && where < index[t])) {
        value[t] = other;
        index[t] = where;
      }
    }
    __syncthreads();
  }
  if (t == 0) y[blockIdx.x] = index[0];
}
