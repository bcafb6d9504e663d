// As a flag that many set, but each stores its own position.
extern "C" __global__ void row_argmax(const float* x, int* y, int columns) {
  __shared__ float tops[THREADS];
  __shared__ int found;
  const float* row = x + (long long)blockIdx.x * columns;
  const int t = threadIdx.x;
  float top = -INFINITY;
  for (int c = t; c < columns; c += THREADS) top = fmaxf(top, row[c]);
  tops[t] = top;
  for (int step = THREADS / 2; step > 0; step /= 2) {
    __syncthreads();
    if (t < step) tops[t] = fmaxf(tops[t], tops[t + step]);
  }
  __syncthreads();
  found = t;
  for (int c = t; c < columns; c += THREADS) {
    if (row[c] == tops[0]) y[blockIdx.x] = c;
  }
  __syncthreads();
  if (t == 0 && found < 0) y[blockIdx.x] = 0;
}
