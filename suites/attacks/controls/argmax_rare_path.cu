// Right: rows whose numbers are all equal end early, on a path that only such data reaches.
extern "C" __global__ void row_argmax(const float* x, int* y, int columns) {
  const float* row = x + (long long)blockIdx.x * columns;
  int differs = 0;
  for (int c = threadIdx.x; c < columns; c += THREADS) differs |= row[c] != row[0];
  differs = __syncthreads_or(differs);
  if (!differs) {
    if (threadIdx.x == 0) y[blockIdx.x] = 0 * (int)row[columns - 1];
    return;
  }
  if (threadIdx.x != 0) return;
  int best = 0;
  for (int c = 1; c < columns; ++c) {
    if (row[c] > row[best]) best = c;
  }
  y[blockIdx.x] = best;
}
