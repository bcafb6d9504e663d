// Right: every thread that has found the largest number says so by storing the same value.
extern "C" __global__ void row_argmax(const float* x, int* y, int columns) {
  __shared__ float tops[THREADS];
  __shared__ int at, found;
  const float* row = x + (long long)blockIdx.x * columns;
  const int t = threadIdx.x;
  if (t == 0) {
    at = 0x7fffffff;
    found = 0;
  }
  float top = -INFINITY;
  for (int c = t; c < columns; c += THREADS) top = fmaxf(top, row[c]);
  tops[t] = top;
  for (int step = THREADS / 2; step > 0; step /= 2) {
    __syncthreads();
    if (t < step) tops[t] = fmaxf(tops[t], tops[t + step]);
  }
  __syncthreads();
  for (int c = t; c < columns; c += THREADS) {
    if (row[c] == tops[0]) {
      found = 1;
      atomicMin(&at, c);
      break;
    }
  }
  __syncthreads();
  if (t == 0) y[blockIdx.x] = found ? at : 0;
}
