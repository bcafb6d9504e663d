// A block computes the softmax of one row. The threads reduce the largest element and the sum as trees in shared memory.
// SYNC_TREE, SYNC_RESULT and SYNC_REUSE are genes: their values none, warp, block are the numbers 0, 1, 2 here.
#define BARRIER(strength)                    \
  if (strength == 2) __syncthreads();        \
  else if (strength == 1) __syncwarp()

extern "C" __global__ void row_softmax(const float* x, float* y, int rows, int columns) {
  __shared__ float cells[THREADS];
  const int t = threadIdx.x;
  const float* in = x + (long long)blockIdx.x * columns;
  float* out = y + (long long)blockIdx.x * columns;

  float largest = -INFINITY;
  for (int j = t; j < columns; j += THREADS) largest = fmaxf(largest, in[j]);
  cells[t] = largest;
  for (int step = THREADS / 2; step > 0; step /= 2) {
    BARRIER(SYNC_TREE);
    if (t < step) cells[t] = fmaxf(cells[t], cells[t + step]);
  }
  BARRIER(SYNC_RESULT);
  largest = cells[0];
  BARRIER(SYNC_REUSE);  // all have read cells[0] before it is written again

  float sum = 0;
  for (int j = t; j < columns; j += THREADS) sum += expf(in[j] - largest);
  cells[t] = sum;
  for (int step = THREADS / 2; step > 0; step /= 2) {
    BARRIER(SYNC_TREE);
    if (t < step) cells[t] += cells[t + step];
  }
  BARRIER(SYNC_RESULT);
  for (int j = t; j < columns; j += THREADS) out[j] = expf(in[j] - largest) / cells[0];
}
