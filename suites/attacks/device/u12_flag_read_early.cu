// All store the same, but one looks before the others have come.
extern "C" __global__ void row_argmax(const float* x, int* y, int columns) {
  __shared__ int started;
  const float* row = x + (long long)blockIdx.x * columns;
  if (threadIdx.x >= 32) started = 1;
  if (threadIdx.x != 0) return;
  int best = 0;
  for (int c = 1; c < columns; ++c) {
    if (row[c] > row[best]) best = c;
  }
  y[blockIdx.x] = started == 7 ? 0 : best;
}
